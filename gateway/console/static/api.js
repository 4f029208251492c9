// Calls of this gateway. Every dialect's error becomes one `Refused`.

const KEY = "quartet-key";

/** A request that was not answered: what is wrong, in words, and where. */
export class Refused extends Error {
  constructor(reason, message, { status = 0, fields = [] } = {}) {
    super(message);
    this.reason = reason;
    this.status = status;
    /** Parts of the body to blame: [{path: ["questions", "q1"], message}]. */
    this.fields = fields;
  }
}

/** Keeps the key for this tab of the browser only. */
export function setKey(key) {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
}

/** Answers `{body, ms}`; `ms` is the time until the whole answer was here. Throws Refused. */
export async function post(path, body, signal) {
  const began = performance.now();
  const response = await send(path, body, signal, "application/json");
  const answer = await response.json();
  return { body: answer, ms: performance.now() - began };
}

/** Yields `{name, data}` of each server-sent event. Throws Refused. */
export async function* events(path, body, signal) {
  const response = await send(path, body, signal, "text/event-stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      throw signal.aborted ? error : new Refused("GATEWAY_UNREACHABLE", "The gateway went away during the answer.");
    });
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = readEvent(block);
      if (event) yield event;
    }
  }
}

function readEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}

async function send(path, body, signal, accept) {
  const headers = { "content-type": "application/json", accept };
  const key = sessionStorage.getItem(KEY);
  if (key) headers.authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("GATEWAY_UNREACHABLE", "The gateway does not answer. Is it still running?");
  }
  if (!response.ok) throw readRefusal(response.status, await response.text());
  return response;
}

/** The error of any dialect. */
export function readRefusal(status, text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return new Refused(`HTTP_${status}`, "The gateway refused the request without saying why.", { status });
  }
  return fromBody(body, status);
}

/** The same for an error that is already JSON, as that of a failed run. */
export function fromBody(body, status = 0) {
  if (Array.isArray(body?.detail)) {
    const fields = body.detail.map((item) => ({ path: item.loc.slice(1).map(String), message: item.msg }));
    return new Refused("INVALID_FIELD", "Something in the request cannot be used.", { status, fields });
  }
  if (body?.detail?.message) return new Refused(body.detail.error_type, body.detail.message, { status });
  if (body?.error?.message) {
    const { reason, message, fields = [], metadata } = body.error;
    const found = fields.map((item) => ({ path: segments(item.path), message: item.message }));
    const where = metadata?.step ? `Step “${metadata.step}”: ` : "";
    const said = found.length ? "Something in the request cannot be used." : where + message;
    return new Refused(reason, said, { status, fields: found });
  }
  return new Refused(`HTTP_${status}`, String(body?.detail ?? "The gateway refused the request."), { status });
}

/** `series[0].values[3]` as its parts. */
function segments(path) {
  return path.split(/[.[\]]+/).filter(Boolean);
}
