// Steps of a run against time: when each began, how long it took, and what kind of part did it.

import { count, duration, h } from "./dom.js";

const KINDS = { model: "small model", words: "language model", rule: "rule" };

/** A live waterfall: `element`, `take(name, data)` for each step event, `tokens()` and `stop()`. */
export function waterfall() {
  const list = h("ol", { class: "steps" });
  const share = h("p", { class: "split" }, "…");
  const steps = new Map();
  let began = null;
  let frame = 0;

  const element = h("article", { class: "card waterfall" }, h("h3", {}, "Steps"), share, list);
  const now = () => performance.now() - (began ??= performance.now());
  const draw = () => {
    const end = Math.max(1, ...[...steps.values()].map((step) => step.end ?? now()));
    for (const step of steps.values()) {
      const until = step.end ?? now();
      step.row.style.setProperty("--from", step.start / end);
      step.row.style.setProperty("--size", (until - step.start) / end);
      step.time.textContent =
        step.state === "skipped" ? "" : `${step.bound ? "≤ " : ""}${duration(until - step.start)}`;
    }
    share.replaceChildren(...split([...steps.values()]));
  };
  const tick = () => {
    draw();
    frame = requestAnimationFrame(tick);
  };
  const set = (step, state, word) => {
    step.state = state;
    step.row.dataset.state = state;
    step.word.textContent = word;
  };

  return {
    element,
    take(name, { step: title, output, elapsed_s: elapsed, reason, message }) {
      if (!steps.has(title)) {
        const step = row(title, now());
        steps.set(title, step);
        list.append(step.row);
      }
      const step = steps.get(title);
      if (name === "step_started") {
        set(step, "running", "running");
        step.end = undefined;
        if (!frame) tick();
      } else if (name === "step_finished") {
        step.kind = kindOf(output ?? {});
        step.usage = output?.usage;
        step.row.dataset.kind = step.kind;
        // The gateway's own time where it gives one; else what passed between two events, which is an upper bound.
        step.bound = !elapsed;
        step.end = step.start + (elapsed ? elapsed * 1000 : now() - step.start);
        set(step, "done", KINDS[step.kind]);
      } else if (name === "step_skipped") {
        step.end = step.start;
        set(step, "skipped", "not needed");
      } else if (name === "step_escalated") {
        // What goes to a person is the outcome of the whole run, and told there.
        if (!message.endsWith("goes to review")) step.row.append(h("p", { class: "note" }, message));
      } else if (name === "step_failed") {
        step.end = now();
        set(step, "failed", `${reason}: ${message}`);
      }
      draw();
    },
    tokens() {
      const used = [...steps.values()].map((step) => step.usage ?? {});
      const read = used.reduce((sum, usage) => sum + (usage.input_tokens ?? 0), 0);
      const written = used.reduce((sum, usage) => sum + (usage.output_tokens ?? 0), 0);
      return `${count(read, "token")} read, ${written.toLocaleString("en")} written`;
    },
    stop() {
      cancelAnimationFrame(frame);
      for (const step of steps.values()) {
        if (step.state === "running") {
          step.end = now();
          set(step, "stopped", "stopped");
        }
      }
      if (steps.size) draw();
    },
  };
}

function row(title, start) {
  const [word, time] = [h("span", { class: "word" }), h("span", { class: "time" })];
  const element = h(
    "li",
    { class: "step" },
    h("span", { class: "name" }, title),
    word,
    time,
    h("span", { class: "track" }),
  );
  return { row: element, word, time, start, end: undefined, state: "", kind: "", usage: null, bound: false };
}

/** A language model says why it stopped, a small model which one it is, a rule neither. */
function kindOf(output) {
  if ("finish_reason" in output) return "words";
  return "model" in output ? "model" : "rule";
}

/** Reading and deciding on one side, writing on the other. */
function split(steps) {
  const spent = (kinds) =>
    steps.filter((step) => kinds.includes(step.kind)).reduce((sum, step) => sum + step.end - step.start, 0);
  const [fast, slow] = [spent(["model", "rule"]), spent(["words"])];
  if (!fast) return ["…"];
  const parts = [h("b", {}, duration(fast)), " to read and decide"];
  return slow ? [...parts, ", ", h("b", {}, duration(slow)), " to write"] : parts;
}
