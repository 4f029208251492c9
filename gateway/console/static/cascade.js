// One e-mail through the support cascade, live: POST /v1/cascades/support:run as server-sent events.

import { events, fromBody } from "./api.js";
import { bench, examples } from "./bench.js";
import { duration, facts, h } from "./dom.js";
import { shown } from "./reading.js";
import { waterfall } from "./waterfall.js";

const PATH = "v1/cascades/support:run";

export async function cascade(panel) {
  const form = panel.querySelector("form");
  const result = panel.querySelector(".result");
  const { email, received } = form.elements;

  const ask = async (signal, begun) => {
    const input = { email: email.value };
    if (received.value) input.received = received.value;
    const view = new Run();
    signal.addEventListener("abort", () => view.steps.stop());
    try {
      for await (const event of events(PATH, { input }, signal)) {
        if (event.name === "run_failed") throw fromBody(event.data);
        if (!view.element.isConnected) {
          result.replaceChildren(view.element);
          begun();
        }
        view.take(event.name, event.data);
      }
    } catch (error) {
      // How far it came stays in sight.
      if (view.element.isConnected) error.beside = view.element;
      view.decision.textContent = "The run failed";
      throw error;
    } finally {
      view.steps.stop();
    }
  };
  const place = ([part, name]) => (part === "input" ? (form.elements[name] ?? null) : null);
  const run = bench(panel, { ask, place, idle: "Press Answer it: the steps appear here while they run." });
  const letters = await (await fetch("console/emails.json")).json();
  examples(
    panel,
    letters.map(titled),
    (letter) => {
      email.value = letter.text;
      received.value = letter.received;
    },
    run,
  );
}

/** `1-side-table` as `Side table`; its text without the line breaks that only a narrow terminal needs. */
function titled({ name, text, received }) {
  const words = name.replace(/^\d+-/, "").replaceAll("-", " ");
  const flowing = text.replace(/(?<=[^\n]{60})\n(?=\S)/g, " ");
  return { name: words[0].toUpperCase() + words.slice(1), text: flowing, received };
}

/** What is seen of a run. */
class Run {
  constructor() {
    // Every part has its place from the start, so that nothing moves while the run goes on.
    this.decision = h("p", { class: "verdict", role: "status" }, "Reading the e-mail…");
    this.steps = waterfall();
    this.reply = h("p", { class: "reply", "data-waiting": "Not written yet." });
    this.letter = h("article", { class: "card letter" }, h("h3", {}, "Reply"), this.reply);
    this.outcome = h("div", { class: "outcome" });
    this.element = h("div", { class: "run" }, this.decision, this.steps.element, this.letter, this.outcome);
  }

  take(name, data) {
    if (name === "text") return this.reply.append(data.text);
    if (name === "run_finished") return this.end(data);
    this.steps.take(name, data);
    if (name === "step_finished") this.read(data.step, data.output ?? {});
  }

  read(step, output) {
    if (output.fallback) {
      const problems = output.rejected.at(-1)?.problems ?? [];
      const why = problems.length ? `, since ${problems.join("; ")}` : "";
      this.letter.append(
        h("p", { class: "warning" }, `The model's reply was not kept${why}. This one is from a template.`),
      );
    } else if (output.rejected?.length) {
      const times = output.rejected.length === 1 ? "One reply" : `${output.rejected.length} replies`;
      this.letter.append(h("p", { class: "note" }, `${times} before this one did not hold against the facts.`));
    }
    if (step === "facts" && output.values) this.show("Facts it read", output.values);
    if (step === "policy") {
      this.show("What the policy says", output);
      this.decision.textContent = `Decision: ${output.action}`;
    }
    if (step === "mood" && output.values) this.show("What it decided", output.values);
  }

  show(title, values) {
    const items = Object.entries(values).map(([name, value]) => [
      h("dt", {}, name.replaceAll("_", " ")),
      h("dd", {}, value === null ? h("span", { class: "note" }, "not found") : shown(neat(value))),
    ]);
    this.outcome.append(h("article", { class: "card" }, h("h3", {}, title), h("dl", {}, items)));
  }

  end({ status, output, review, elapsed_s: elapsed }) {
    this.steps.stop();
    if (status === "review") {
      this.decision.textContent = "A person should look at this one";
      this.reply.dataset.waiting = "No reply was written.";
      const why = `After step “${review.step}” the cascade was not sure: ${review.message}.`;
      this.decision.after(h("p", { class: "warning" }, why));
    } else if (output?.action) {
      this.decision.textContent = `Decision: ${output.action}`;
    }
    this.element.append(facts(duration(elapsed * 1000), this.steps.tokens()));
  }
}

function neat(value) {
  return typeof value === "number" ? Number(value.toFixed(2)) : value;
}
