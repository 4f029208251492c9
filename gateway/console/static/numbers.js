// Numbers that somebody pasted.

import { Refused } from "./api.js";

const MISSING = new Set(["-", "null", "na", "n/a", "nan", "none"]);
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** The values of `text`, null where one is missing. Throws Refused at what is no number. */
export function readNumbers(text) {
  // `1,234 1,300` could be two numbers or four; whoever pasted it knows, this page does not.
  const spaced = /[\s;]/.test(text.trim());
  const doubtful = spaced && /\d,\d/.exec(text.replace(/,\s/g, " "));
  if (doubtful) {
    const around = text.split(/[\s;]+/).find((word) => /\d,\d/.test(word));
    throw wrong(`“${around}” may be one number or two. Write numbers with a point and no commas inside.`);
  }
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(readOne);
}

function readOne(word, index) {
  if (MISSING.has(word.toLowerCase())) return null;
  if (!NUMBER.test(word)) throw wrong(`“${word}”, number ${index + 1}, is no number.`);
  return Number(word);
}

function wrong(message) {
  return new Refused("INVALID_FIELD", "The numbers cannot be read.", { fields: [{ path: ["values"], message }] });
}
