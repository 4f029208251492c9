// Typed values out of a text: POST /v1/extraction.

import { post, Refused } from "./api.js";
import { bench, examples, wire } from "./bench.js";
import { count, duration, facts, h } from "./dom.js";
import { EXTRACT } from "./examples.js";
import { reading } from "./reading.js";
import { lines, removeButton, rows, select } from "./rows.js";

const PATH = "v1/extraction";
const TYPES = {
  text: "Text",
  number: "Number",
  money: "Money",
  date: "Date",
  time: "Time",
  datetime: "Date and time",
  duration: "Duration",
  boolean: "Yes or no",
  choice: "Choice",
  list: "List",
};
const ITEMS = { text: "of texts", number: "of numbers", date: "of dates" };
const OPS = {
  number: ["sum", "difference", "product", "ratio", "percent", "count", "min", "max", "average"],
  money: ["sum", "difference", "product", "min", "max", "average"],
  date: ["date_add"],
  duration: ["sum", "date_difference"],
};

export function extract(panel) {
  const form = panel.querySelector("form");
  const result = panel.querySelector(".result");
  const fields = rows(panel, field, {
    "+ Text": { type: "text" },
    "+ Money": { type: "money" },
    "+ Date": { type: "date" },
  });

  const ask = async (signal) => {
    const request = { model: "clairic", state: form.elements.state.value, fields: named(fields.all) };
    const { body, ms } = await post(PATH, request, signal);
    result.replaceChildren(
      reading(request.state, body.answers),
      facts(duration(ms), count(body.usage.input_tokens, "token"), body.model),
      wire(PATH, request, body),
    );
  };
  const place = ([part, name, inner]) => {
    if (part !== "fields") return form.elements[part] ?? null;
    return fields.all.find((row) => row.name() === name)?.control(inner) ?? null;
  };
  const run = bench(panel, {
    ask,
    place,
    idle: "Press Extract: the values appear here, beside the words that prove them.",
  });
  examples(
    panel,
    EXTRACT,
    (example) => {
      form.elements.state.value = example.text;
      fields.load(example.fields);
    },
    run,
  );
}

/** Name -> spec. A name that stands twice would vanish in the object. */
function named(all) {
  const found = {};
  for (const row of all) {
    const name = row.name();
    const wrong =
      name === "" ? "A field has no name." : Object.hasOwn(found, name) ? `“${name}” stands there twice.` : "";
    if (wrong)
      throw new Refused("INVALID_FIELD", "Every field needs a name of its own.", {
        fields: [{ path: ["fields", name], message: wrong }],
      });
    found[name] = row.read();
  }
  return found;
}

function field(data) {
  const kind = select("Type of the field", TYPES, data.type);
  const name = h("input", {
    class: "name",
    "aria-label": "Name",
    placeholder: "name",
    value: data.name ?? "",
    spellcheck: "false",
  });
  const wording = h("input", {
    "aria-label": "Instructions",
    placeholder: "What is it? (optional)",
    value: data.instructions ?? "",
  });
  const options = h(
    "textarea",
    { rows: "2", "aria-label": "Options", placeholder: "One option a line", spellcheck: "false" },
    (data.options ?? []).join("\n"),
  );
  const items = select("Items of the list", ITEMS, data.items ?? "text");
  const compute = computed(data.compute);
  const second = h("div", { class: "line" });
  const extra = h("div", { class: "extra" });
  const follow = () => {
    compute.offer(OPS[kind.value] ?? []);
    second.replaceChildren(wording, ...(kind.value === "list" ? [items] : OPS[kind.value] ? [compute.op] : []));
    extra.replaceChildren(...(kind.value === "choice" ? [options] : OPS[kind.value] ? [compute.names] : []));
  };
  kind.addEventListener("change", follow);
  follow();
  return {
    element: h("li", { class: "row" }, h("div", { class: "line" }, name, kind, removeButton("field")), second, extra),
    focus: () => name.focus(),
    name: () => name.value.trim(),
    control: (part) => ({ options, items, compute: compute.names, instructions: wording, type: kind })[part] ?? name,
    read: () => {
      const spec = { type: kind.value };
      if (wording.value.trim()) spec.instructions = wording.value.trim();
      if (kind.value === "choice") spec.options = lines(options.value);
      if (kind.value === "list") spec.items = items.value;
      if (OPS[kind.value] && compute.read()) spec.compute = compute.read();
      return spec;
    },
  };
}

/** Read from the text, or worked out from other fields. */
function computed(given) {
  const names = h("input", {
    "aria-label": "Fields to compute from",
    placeholder: "names of fields, with commas between",
    spellcheck: "false",
    value: (given?.of ?? []).join(", "),
  });
  const op = select("How the value is found", {}, "");
  let wanted = given?.op ?? "";
  const follow = () => {
    wanted = op.value;
    names.hidden = !wanted;
  };
  op.addEventListener("change", follow);
  return {
    names,
    op,
    offer(ops) {
      const all = ["", ...ops];
      op.replaceChildren(
        ...all.map((value) =>
          h("option", { value, selected: value === wanted }, value ? `${value.replace("_", " ")} of` : "as it stands"),
        ),
      );
      follow();
    },
    read: () =>
      wanted
        ? {
            op: wanted,
            of: names.value
              .split(",")
              .map((part) => part.trim())
              .filter(Boolean),
          }
        : null,
  };
}
