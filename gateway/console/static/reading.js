// A text with its evidence marked, and the values beside it; a line leads from a value to the words that prove it.

import { h, percent, s } from "./dom.js";
import { pieces } from "./spans.js";

/** The whole view of `answers`: name -> answer of the extraction route. */
export function reading(text, answers) {
  const all = Object.entries(answers);
  // What stands behind a mere guess proves nothing.
  const proven = ([, answer]) => (answer.value === null ? [] : (answer.spans ?? []));
  const spans = all.flatMap((pair, owner) => proven(pair).map(([start, end]) => ({ start, end, owner })));
  const parts = pieces(text, spans).map(piece);
  const lines = s("svg", { class: "threads", "aria-hidden": "true" });
  const values = all.map(([name, answer], index) => value(name, answer, index));
  const view = h(
    "div",
    { class: "reading" },
    h("div", { class: "reader", role: "group", "aria-label": "Text with the evidence marked", tabindex: "0" }, parts),
    h("ol", { class: "values" }, values),
    lines,
  );
  connect(
    view,
    values,
    lines,
    all.findIndex(([, answer]) => answer.computed),
  );
  return view;
}

function piece({ text, owners }) {
  if (!owners.length) return text;
  return h("mark", { "data-owners": owners.join(" ") }, text, h("sup", {}, owners.map((owner) => owner + 1).join(",")));
}

function value(name, answer, index) {
  const absent = answer.value === null;
  return h(
    "li",
    { class: absent ? "value absent" : "value", tabindex: "0", "data-owner": index },
    h(
      "p",
      { class: "what" },
      h("span", { class: "number" }, String(index + 1)),
      h("span", { class: "name" }, name),
      h("span", { class: "type" }, answer.type),
    ),
    h("p", { class: "shown" }, absent ? "not in the text" : shown(answer.value, answer)),
    absent && answer.guess !== null && answer.guess !== undefined
      ? h("p", { class: "note" }, `nearest guess: ${shown(answer.guess, answer)}`)
      : null,
    answer.computed ? arithmetic(answer.computed) : null,
    h(
      "p",
      { class: "meters" },
      meter("confidence", answer.confidence),
      meter("p_null", answer.p_null, "how likely it is not in the text"),
    ),
  );
}

function meter(label, share, title) {
  if (share === undefined || share === null) return null;
  return h(
    "span",
    { class: "meter", "--share": share, title },
    h("span", {}, label),
    h("span", { class: "share" }, percent(share)),
    h("span", { class: "track" }),
  );
}

/** Operands with their signs, then how the service wrote the arithmetic down. */
function arithmetic({ op, operands, expression }) {
  const terms = operands.map(({ value: given, sign, field }) =>
    h(
      "li",
      {},
      h("b", {}, sign < 0 ? "−" : "+"),
      ` ${shown(given, {})}`,
      field ? h("span", { class: "note" }, ` ${field}`) : null,
    ),
  );
  return h(
    "div",
    { class: "computed" },
    h("p", { class: "note" }, `computed: ${op.replace("_", " ")} of`),
    h("ul", {}, terms),
    h("p", { class: "expression" }, expression),
  );
}

/** A value of any type for a reader. */
export function shown(value, answer = {}) {
  if (value === true || value === false) return value ? "Yes" : "No";
  if (Array.isArray(value)) return value.length ? value.map((item) => shown(item)).join(", ") : "nothing";
  if (value && typeof value === "object") {
    return "amount" in value ? `${value.amount} ${value.currency ?? ""}`.trim() : JSON.stringify(value);
  }
  if (answer.type === "duration" && answer.unit === "seconds") return inUnits(value);
  return answer.unit ? `${value} ${answer.unit}` : String(value);
}

function inUnits(seconds) {
  for (const [size, noun] of [
    [86400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ]) {
    if (seconds >= size && seconds % size === 0) return `${seconds / size} ${noun}${seconds === size ? "" : "s"}`;
  }
  return `${seconds} seconds`;
}

/** One value at a time is active: pointed at, focused, or the `first` (-1: none). */
function connect(view, values, lines, first) {
  let active = first;
  const marks = [...view.querySelectorAll("mark")];
  const owned = (mark, owner) => mark.dataset.owners.split(" ").includes(String(owner));

  const draw = () => {
    values.forEach((row, index) => row.classList.toggle("active", index === active));
    for (const mark of marks) mark.classList.toggle("active", owned(mark, active));
    const base = view.getBoundingClientRect();
    const row = values[active]?.getBoundingClientRect();
    const ends = row ? marks.filter((mark) => owned(mark, active)) : [];
    lines.replaceChildren(...ends.map((mark) => s("path", { d: thread(mark.getClientRects()[0], row, base) })));
  };
  const activate = (owner) => {
    active = owner;
    draw();
  };
  for (const mark of marks)
    mark.addEventListener("pointerenter", () => activate(Number(mark.dataset.owners.split(" ")[0])));
  values.forEach((row, index) => {
    row.addEventListener("pointerenter", () => activate(index));
    row.addEventListener("focus", () => activate(index));
  });
  // A hidden tab has no size, and nothing to draw.
  const redraw = () => view.clientWidth && draw();
  new ResizeObserver(redraw).observe(view);
  // The text stays in view while the values scroll by, so the lines move.
  const follow = () => (view.isConnected ? redraw() : removeEventListener("scroll", follow));
  addEventListener("scroll", follow, { passive: true });
}

/** A line from the row to the mark, when they stand side by side; on a phone the marks alone must do. */
function thread(mark, row, base) {
  if (row.left < mark.right) return "";
  const [x1, y1] = [row.left - base.left, row.top - base.top + 22];
  const [x2, y2] = [mark.right - base.left, mark.top - base.top + mark.height / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1},${y1}C${middle},${y1},${middle},${y2},${x2},${y2}`;
}
