// Elements without markup in strings: what a user or a model wrote can only ever become text.

const SVG = "http://www.w3.org/2000/svg";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** An HTML element; attributes that begin with `on` are listeners, with `--` custom properties. */
export function h(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

/** A share as per cent with one decimal; never rounds to a certainty that is not there. */
export function percent(share) {
  if (share > 0.999 && share < 1) return "> 99.9 %";
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return `${(share * 100).toFixed(1)} %`;
}

/** Milliseconds for a reader. */
export function duration(ms) {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;
}

/** A number with its unit, `1 token` and `2 tokens`. */
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A line of facts that belong to a whole answer. */
export function facts(...parts) {
  return h(
    "p",
    { class: "facts" },
    parts.filter(Boolean).map((part) => h("span", {}, part)),
  );
}
