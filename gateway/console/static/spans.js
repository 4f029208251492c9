// Spans of the API count code points, strings here count UTF-16 units: an emoji is one of those and two of these.

/**
 * `text` in pieces that each lie wholly inside or outside of every span.
 *
 * `spans` are `{start, end, owner}` in code points and may overlap. Returns `[{text, owners}]`, whose texts joined are
 * `text`; `owners` are sorted and empty outside of every span.
 */
export function pieces(text, spans) {
  const points = Array.from(text);
  const inside = spans.filter(({ start, end }) => 0 <= start && start < end && end <= points.length);
  const cuts = new Set([0, points.length]);
  for (const { start, end } of inside) cuts.add(start).add(end);
  const at = [...cuts].sort((a, b) => a - b);
  return at.slice(0, -1).map((start, index) => {
    const owners = inside.filter((span) => span.start <= start && start < span.end).map((span) => span.owner);
    return { text: points.slice(start, at[index + 1]).join(""), owners: [...new Set(owners)].sort((a, b) => a - b) };
  });
}
