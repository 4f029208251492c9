// History and fan chart as SVG, drawn at the size it has, so that its text never shrinks.

import { h, s } from "./dom.js";

const HEIGHT = 300;
const PAD = { top: 12, right: 14, bottom: 26, left: 52 };

/** A number with as many digits as a reader needs. */
export function rounded(value) {
  const size = Math.abs(value);
  const digits = size >= 1000 || size === 0 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** The chart of `values` (null: missing) and `quantiles`: level -> steps. Pointer and arrow keys move its readout. */
export function chart(values, quantiles) {
  const total = values.length + quantiles["0.5"].length;
  const readout = h("p", { class: "readout", "aria-hidden": "true" });
  const plot = h("div", {
    class: "plot",
    tabindex: "0",
    role: "slider",
    "aria-label": "Chart of history and forecast, step by step",
    "aria-valuemin": "1",
    "aria-valuemax": String(total),
  });
  let at = values.length;
  let scale = null;

  const point = (step) => {
    at = Math.min(total - 1, Math.max(0, step));
    const text = describe(values, quantiles, at);
    readout.textContent = text;
    plot.setAttribute("aria-valuenow", String(at + 1));
    plot.setAttribute("aria-valuetext", text);
    const cursor = plot.querySelector(".cursor");
    if (!cursor) return;
    const value = at < values.length ? values[at] : quantiles["0.5"][at - values.length];
    cursor.replaceChildren(
      s("line", { x1: scale.x(at), x2: scale.x(at), y1: PAD.top, y2: HEIGHT - PAD.bottom }),
      ...(value === null ? [] : [s("circle", { cx: scale.x(at), cy: scale.y(value), r: 4 })]),
    );
  };
  const draw = () => {
    scale = scales(values, quantiles, plot.clientWidth, total);
    plot.replaceChildren(picture(values, quantiles, scale));
    point(at);
  };
  plot.addEventListener("pointermove", (event) => {
    point(Math.round(scale.step(event.clientX - plot.getBoundingClientRect().left)));
  });
  plot.addEventListener("keydown", (event) => {
    const to = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowDown: at - 1,
      ArrowUp: at + 1,
      PageDown: at - 10,
      PageUp: at + 10,
      Home: 0,
      End: total - 1,
    };
    if (!(event.key in to)) return;
    event.preventDefault();
    point(to[event.key]);
  });
  new ResizeObserver(() => plot.clientWidth && draw()).observe(plot);
  point(at);
  return h("figure", { class: "chart" }, readout, plot);
}

function describe(values, quantiles, step) {
  const ahead = step - values.length;
  if (ahead < 0) return `Step ${step + 1}: ${values[step] === null ? "missing" : rounded(values[step])}`;
  const [low, middle, high] = ["0.1", "0.5", "0.9"].map((level) => rounded(quantiles[level][ahead]));
  return `Step ${step + 1}, ${ahead + 1} ahead: ${middle}, 80 % in ${low} – ${high}`;
}

function scales(values, quantiles, width, total) {
  const all = [...values.filter((value) => value !== null), ...quantiles["0.1"], ...quantiles["0.9"]];
  const ticks = ticksOf(
    all.reduce((a, b) => Math.min(a, b)),
    all.reduce((a, b) => Math.max(a, b)),
  );
  const [low, high] = [ticks[0], ticks.at(-1)];
  const inner = width - PAD.left - PAD.right;
  const span = Math.max(1, total - 1);
  return {
    width,
    ticks,
    total,
    x: (step) => PAD.left + (step / span) * inner,
    y: (value) => PAD.top + (1 - (value - low) / (high - low)) * (HEIGHT - PAD.top - PAD.bottom),
    step: (pixel) => ((pixel - PAD.left) / inner) * span,
  };
}

/** Round numbers that enclose `low` and `high`, about five. */
export function ticksOf(low, high) {
  if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

function picture(values, quantiles, scale) {
  const { x, y, width } = scale;
  const start = values.length;
  const known = values.findLastIndex((value) => value !== null);
  // The fan opens at the last value seen, which is certain.
  const track = (level) => [
    [x(known), y(values[known])],
    ...quantiles[level].map((value, step) => [x(start + step), y(value)]),
  ];
  const band = (low, high) =>
    `${path(track(low))}L${track(high)
      .reverse()
      .map((p) => p.map(short).join())
      .join("L")}Z`;
  return s(
    "svg",
    { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" },
    axes(scale),
    s("line", { class: "now", x1: x(start - 0.5), x2: x(start - 0.5), y1: PAD.top, y2: HEIGHT - PAD.bottom }),
    s("path", { class: "most", d: band("0.1", "0.9") }),
    s("path", { class: "half", d: band("0.25", "0.75") }),
    s("path", { class: "middle", d: path(track("0.5")) }),
    s("path", { class: "seen", d: history(values, scale) }),
    s("g", { class: "cursor" }),
  );
}

function axes({ x, y, ticks, width, total }) {
  const across = ticks.map((tick) => [
    s("line", { class: "grid", x1: PAD.left, x2: width - PAD.right, y1: y(tick), y2: y(tick) }),
    s("text", { x: PAD.left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toLocaleString("en")),
  ]);
  const every = ticksOf(1, Math.max(2, total)).filter((step) => Number.isInteger(step) && step >= 1 && step <= total);
  const along = every.map((step) =>
    s("text", { x: x(step - 1), y: HEIGHT - 8, "text-anchor": "middle" }, step.toLocaleString("en")),
  );
  return s("g", { class: "axes" }, across.flat(), along);
}

/** The line of what was seen, broken where steps are missing; a step alone between two gaps is a dot. */
function history(values, { x, y }) {
  let d = "";
  values.forEach((value, step) => {
    if (value === null) return;
    const begins = step === 0 || values[step - 1] === null;
    d += `${begins ? "M" : "L"}${short(x(step))},${short(y(value))}`;
    if (begins && (values[step + 1] ?? null) === null) d += "h.01";
  });
  return d;
}

function path(points) {
  return `M${points.map((p) => p.map(short).join()).join("L")}`;
}

function short(number) {
  return Number(number.toFixed(2));
}
