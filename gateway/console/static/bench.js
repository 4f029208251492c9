// What the four panels share: examples, sending, waiting, and saying what went wrong.

import { Refused, setKey } from "./api.js";
import { h } from "./dom.js";

const WORKING = "Working…";

/**
 * Wires a panel.
 *
 * `ask(signal, begun)` sends the request, shows its answer in `result`, and may call `begun` before it is whole; `place(path)` finds the control that an error
 * blames, or null; `idle` is what stands in the result before the first answer. Returns `run`.
 */
export function bench(panel, { ask, place = () => null, idle }) {
  const form = panel.querySelector("form");
  const result = panel.querySelector(".result");
  const button = form.querySelector(".primary");
  const label = button.textContent;
  let current = null;

  const run = async () => {
    current?.abort();
    const mine = (current = new AbortController());
    unmark(form);
    button.textContent = WORKING;
    result.setAttribute("aria-busy", "true");
    try {
      await ask(mine.signal, () => reveal(result));
      if (current === mine) reveal(result);
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof Refused)) console.error(error);
      result.replaceChildren(problem(error, run), ...(error.beside ? [error.beside] : []));
      if (!blame(error, place)) reveal(result);
    }
    if (current !== mine) return;
    button.textContent = label;
    result.removeAttribute("aria-busy");
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  result.append(h("p", { class: "idle" }, idle));
  return run;
}

/** Buttons that load an example and run it; the first one is loaded at once and waits for a click. */
export function examples(panel, all, load, run) {
  const group = panel.querySelector(".examples");
  for (const example of all) {
    const choose = () => {
      load(example);
      run();
    };
    group.append(h("button", { type: "button", class: "chip", onclick: choose }, example.name));
  }
  load(all[0]);
}

/** The error as a card. */
function problem(error, again) {
  const known = error instanceof Refused;
  const reason = known ? error.reason : "PAGE_FAILED";
  const message = known ? error.message : "This page could not show the answer. The browser's console has the details.";
  const list =
    known && error.fields.length
      ? h(
          "ul",
          {},
          error.fields.map(({ path, message: what }) => h("li", {}, h("code", {}, path.join(" › ")), " ", what)),
        )
      : null;
  const card = h(
    "div",
    { class: "problem", role: "alert" },
    h("p", { class: "reason" }, reason),
    h("p", {}, message),
    list,
  );
  if (error.status === 401) card.append(keyForm(again));
  return card;
}

function keyForm(again) {
  const input = h("input", { type: "password", autocomplete: "off", "aria-label": "API key", placeholder: "API key" });
  const send = (event) => {
    event.preventDefault();
    setKey(input.value.trim());
    again();
  };
  return h("form", { class: "key", onsubmit: send }, input, h("button", { type: "submit" }, "Use this key"));
}

/** Says at each control what is wrong with it, and goes to the first; false when there is none. */
function blame(error, place) {
  const found = (error.fields ?? []).map(({ path, message }) => [place(path), message]).filter(([control]) => control);
  found.forEach(([control, message], index) => {
    const id = `${control.form.parentElement.id}-fault-${index}`;
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-errormessage", id);
    (control.closest(".line, .field") ?? control).after(h("p", { class: "fault", id }, message));
  });
  found[0]?.[0].focus();
  return found.length > 0;
}

function unmark(form) {
  for (const control of form.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    control.removeAttribute("aria-errormessage");
  }
  for (const fault of form.querySelectorAll(".fault")) fault.remove();
}

/** An answer that is out of sight, below the form as on a phone or above after scrolling, comes into view. */
function reveal(result) {
  const { top } = result.getBoundingClientRect();
  if (top >= 0 && top <= innerHeight * 0.6) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  result.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
}

/** What was sent and what came back, for whoever writes a client next. */
export function wire(path, request, response) {
  const text = (value) => h("pre", { tabindex: "0" }, JSON.stringify(value, null, 2));
  return h(
    "details",
    { class: "wire" },
    h("summary", {}, "Request and response"),
    h("h3", {}, `POST /${path}`),
    text(request),
    h("h3", {}, "Answer"),
    text(response),
  );
}
