// What `/readyz` says, in words.

const NAMES = { classifier: "Classifier", extractor: "Extractor", forecaster: "Forecaster", llm: "Language model" };
const STATES = { NOT_SERVING: "is starting or draining", UNREACHABLE: "does not answer" };
const CALM_MS = 30_000;
const KEEN_MS = 3_000;

export function watchServices(element) {
  const words = element.querySelector(".words");
  let timer;

  const look = async () => {
    clearTimeout(timer);
    const found = await ask();
    // A screen reader hears a change, not every look.
    if (words.textContent !== found.words) words.textContent = found.words;
    element.dataset.state = found.state;
    if (!document.hidden) timer = setTimeout(look, found.state === "ready" ? CALM_MS : KEEN_MS);
  };
  document.addEventListener("visibilitychange", () => document.hidden || look());
  look();
}

async function ask() {
  try {
    const response = await fetch("readyz", { cache: "no-store" });
    return inWords((await response.json()).services);
  } catch {
    return { state: "down", words: "The gateway does not answer" };
  }
}

/** `{state, words}` of service name -> health. */
export function inWords(services) {
  const all = Object.entries(services);
  const missing = all.filter(([, health]) => health !== "SERVING");
  if (!missing.length) return { state: "ready", words: `All ${all.length} services are ready` };
  const parts = missing.map(([name, health]) => `${NAMES[name] ?? name} ${STATES[health] ?? "is not ready"}`);
  const rest = all.length - missing.length;
  return { state: rest ? "partly" : "down", words: `${parts.join(", ")}${rest ? `; ${rest} ready` : ""}` };
}
