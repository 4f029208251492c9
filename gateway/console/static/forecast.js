// The next steps of a series: POST /v1/forecasts.

import { post } from "./api.js";
import { bench, examples, wire } from "./bench.js";
import { chart, rounded } from "./chart.js";
import { count, duration, facts, h } from "./dom.js";
import { FORECAST } from "./examples.js";
import { readNumbers } from "./numbers.js";

const PATH = "v1/forecasts";
const LEVELS = [0.1, 0.25, 0.5, 0.75, 0.9];

export function forecast(panel) {
  const form = panel.querySelector("form");
  const result = panel.querySelector(".result");
  const { values, horizon, season, non_negative: nonNegative } = form.elements;

  const ask = async (signal) => {
    const series = { values: readNumbers(values.value) };
    if (season.value) series.season = Number(season.value);
    const request = {
      series: [series],
      horizon: Number(horizon.value),
      quantiles: LEVELS,
      non_negative: nonNegative.checked,
    };
    const { body, ms } = await post(PATH, request, signal);
    const [found] = body.forecasts;
    result.replaceChildren(
      h(
        "article",
        { class: "card" },
        h("p", { class: "verdict" }, headline(found)),
        h("p", { class: "note" }, inWords(series.values, found)),
        chart(series.values, found.quantiles),
        legend(),
        found.notes.length
          ? h(
              "ul",
              { class: "notes" },
              found.notes.map((note) => h("li", {}, note)),
            )
          : null,
        table(series.values.length, found.quantiles),
      ),
      facts(duration(ms), count(body.usage.input_points, "point"), body.model),
      wire(PATH, request, body),
    );
  };
  const place = ([part, , inner]) =>
    form.elements[part === "series" ? (inner === "season" ? inner : "values") : part] ?? null;
  const run = bench(panel, { ask, place, idle: "Press Forecast: the chart appears here." });
  examples(
    panel,
    FORECAST,
    (example) => {
      values.value = example.values.map((value) => value ?? "-").join(" ");
      horizon.value = example.horizon;
      season.value = example.season ?? "";
      nonNegative.checked = example.non_negative ?? false;
    },
    run,
  );
}

function headline({ quantiles }) {
  return `${rounded(quantiles["0.1"][0])} – ${rounded(quantiles["0.9"][0])}`;
}

function inWords(values, { quantiles, season }) {
  const last = quantiles["0.5"].length - 1;
  const range = (step) => `${rounded(quantiles["0.1"][step])} to ${rounded(quantiles["0.9"][step])}`;
  const known = values.filter((value) => value !== null);
  const repeats = season > 1 ? ` It repeats every ${season} steps.` : "";
  return (
    "The next step, with 80 % probability; " +
    `middle ${rounded(quantiles["0.5"][0])}, last seen ${rounded(known.at(-1))}. ` +
    `After ${last + 1} steps: ${range(last)}, middle ${rounded(quantiles["0.5"][last])}.${repeats}`
  );
}

function legend() {
  const key = (kind, text) => h("li", { class: `swatch ${kind}` }, text);
  return h(
    "ul",
    { class: "legend" },
    key("seen", "seen"),
    key("middle", "middle"),
    key("half", "50 % range"),
    key("most", "80 % range"),
  );
}

/** The same numbers for those who do not see the chart, or want to copy them. */
function table(seen, quantiles) {
  const levels = Object.keys(quantiles);
  const rows = quantiles["0.5"].map((_, step) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, String(seen + step + 1)),
      levels.map((level) => h("td", {}, rounded(quantiles[level][step]))),
    ),
  );
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, "Step"),
    levels.map((level) => h("th", { scope: "col" }, `${Number(level) * 100} %`)),
  );
  return h(
    "details",
    { class: "table" },
    h("summary", {}, "All values as a table"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Values" },
      h("table", {}, h("caption", {}, "Quantiles of each step"), h("thead", {}, head), h("tbody", {}, rows)),
    ),
  );
}
