// A list of small forms: questions or fields.

import { h } from "./dom.js";

/**
 * Wires the list of a panel. `make(data)` builds one row as `{element, read, focus}`; `kinds` are the buttons that
 * add one: label -> data.
 */
export function rows(panel, make, kinds) {
  const list = panel.querySelector(".rows .list");
  let all = [];

  const add = (data) => {
    const row = make(data);
    const remove = () => {
      const at = all.indexOf(row);
      all = all.filter((other) => other !== row);
      row.element.remove();
      (all[Math.min(at, all.length - 1)] ?? { focus: () => adders.firstChild.focus() }).focus();
    };
    row.element.querySelector(".remove").addEventListener("click", remove);
    all.push(row);
    list.append(row.element);
    return row;
  };
  const adders = panel.querySelector(".adders");
  for (const [label, data] of Object.entries(kinds)) {
    adders.append(h("button", { type: "button", class: "add", onclick: () => add(data).focus() }, label));
  }
  return {
    get all() {
      return all;
    },
    load(items) {
      all = [];
      list.replaceChildren();
      items.forEach(add);
    },
  };
}

export function removeButton(what) {
  return h("button", { type: "button", class: "remove", "aria-label": `Remove this ${what}`, title: "Remove" }, "×");
}

/** A select with its options: value -> label. */
export function select(label, options, chosen, attributes = {}) {
  const items = Object.entries(options).map(([value, text]) =>
    h("option", { value, selected: value === chosen }, text),
  );
  return h("select", { "aria-label": label, ...attributes }, items);
}

/** Lines that are not blank, trimmed. */
export function lines(text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
