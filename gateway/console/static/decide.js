// Typed questions about a text: POST /v1/systemone.

import { post, Refused } from "./api.js";
import { bench, examples, wire } from "./bench.js";
import { count, duration, facts, h, percent } from "./dom.js";
import { DECIDE } from "./examples.js";
import { lines, removeButton, rows, select } from "./rows.js";

const PATH = "v1/systemone";
const KINDS = { noul: "Yes or no", choice: "Choice", score: "Level" };
const HINTS = {
  choice: { label: "Options", hint: "One option a line; a colon starts its description" },
  score: { label: "Levels", hint: "One level a line, lowest first" },
};

export function decide(panel) {
  const form = panel.querySelector("form");
  const result = panel.querySelector(".result");
  const questions = rows(panel, question, {
    "+ Yes or no": { type: "noul" },
    "+ Choice": { type: "choice" },
    "+ Level": { type: "score" },
  });

  const ask = async (signal) => {
    const asked = Object.fromEntries(questions.all.map((row, index) => [`q${index + 1}`, row.read(`q${index + 1}`)]));
    const request = { model: "jev-latest", state: form.elements.state.value, questions: asked };
    const { body, ms } = await post(PATH, request, signal);
    const cards = Object.entries(body.answers).map(([id, answer]) => card(asked[id], answer));
    result.replaceChildren(
      h("div", { class: "cards" }, cards),
      facts(duration(ms), count(body.usage.input_tokens, "token"), body.model),
      wire(PATH, request, body),
    );
  };
  const place = ([part, id, inner]) => {
    if (part !== "questions") return form.elements[part] ?? null;
    return questions.all[Number(id?.slice(1)) - 1]?.control(inner) ?? null;
  };
  const run = bench(panel, { ask, place, idle: "Press Ask: the answers appear here." });
  examples(
    panel,
    DECIDE,
    ({ text, questions: items }) => {
      form.elements.state.value = text;
      questions.load(items);
    },
    run,
  );
}

/** One question as a row; `criteria` of an example are its lines. */
function question({ type, instructions = "", criteria = [] }) {
  const kind = select("Type of the question", KINDS, type);
  const wording = h("input", {
    "aria-label": "Question",
    placeholder: "What do you want to know?",
    value: instructions,
  });
  const choices = h(
    "textarea",
    { rows: String(Math.max(2, criteria.length)), spellcheck: "false" },
    criteria.join("\n"),
  );
  const shown = h("div", { class: "extra" }, choices);
  const follow = () => {
    const hint = HINTS[kind.value];
    shown.hidden = !hint;
    if (!hint) return;
    choices.setAttribute("aria-label", hint.label);
    choices.placeholder = hint.hint;
    choices.title = hint.hint;
  };
  kind.addEventListener("change", follow);
  follow();
  return {
    element: h("li", { class: "row" }, h("div", { class: "line" }, kind, wording, removeButton("question")), shown),
    focus: () => wording.focus(),
    control: (part) => (part === "criteria" && !shown.hidden ? choices : wording),
    read: (id) => {
      const body = { type: kind.value, instructions: wording.value };
      if (kind.value === "choice") body.criteria = options(choices.value, id);
      if (kind.value === "score") body.criteria = lines(choices.value);
      return body;
    },
  };
}

/** `name: description` lines as the object of a choice. A name that stands twice would vanish in it. */
function options(text, id) {
  const found = {};
  for (const line of lines(text)) {
    const [, name, description] = /^([^:]*?)\s*(?::\s*(.*))?$/s.exec(line);
    if (Object.hasOwn(found, name)) {
      const fields = [{ path: ["questions", id, "criteria"], message: `“${name}” stands there twice.` }];
      throw new Refused("INVALID_FIELD", "Every option needs a name of its own.", { fields });
    }
    found[name] = description || null;
  }
  return found;
}

function card(asked, answer) {
  const { verdict, exact, bars, confidence } = READ[answer.type](answer);
  return h(
    "article",
    { class: "card" },
    h("h3", {}, asked.instructions || KINDS[asked.type]),
    h(
      "p",
      { class: "verdict" },
      verdict,
      exact ? h("span", { class: "note" }, exact) : null,
      confidence === undefined ? null : h("span", { class: "note" }, `confidence ${percent(confidence)}`),
    ),
    h("ul", { class: "bars" }, bars.map(bar)),
  );
}

const READ = {
  noul({ noul }) {
    const yes = noul >= 0.5;
    const bars = [
      { name: "Yes", share: noul, top: yes },
      { name: "No", share: 1 - noul, top: !yes },
    ];
    return { verdict: yes ? "Yes" : "No", bars };
  },
  choice({ choice, probabilities, confidence }) {
    const bars = Object.entries(probabilities).map(([name, share]) => ({ name, share, top: name === choice }));
    return { verdict: choice, bars, confidence };
  },
  score({ score, legend, probabilities, confidence }) {
    const shares = Object.values(probabilities);
    const most = Math.max(...shares);
    const bars = shares.map((share, level) => ({
      name: `${level} · ${word(legend[level])}`,
      share,
      top: share === most,
    }));
    return {
      verdict: word(legend[Math.round(score)]),
      exact: `${score.toFixed(2)} on 0 to ${shares.length - 1}`,
      bars,
      confidence,
    };
  },
};

function word(level) {
  return typeof level === "string" ? level : JSON.stringify(level);
}

function bar({ name, share, top }) {
  return h(
    "li",
    { class: top ? "bar top" : "bar", "--share": share },
    h("span", { class: "name" }, name),
    h("span", { class: "share" }, percent(share)),
    h("span", { class: "track" }),
  );
}
