// Tabs after the ARIA pattern: arrows, Home and End move and select; the address keeps the choice.

export function tabs(list) {
  const all = [...list.querySelectorAll("[role=tab]")];

  const select = (chosen) => {
    for (const tab of all) {
      const on = tab === chosen;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
    }
    document.title = `${chosen.textContent} · Quartet console`;
  };
  const named = () => all.find((tab) => tab.hash === location.hash);
  const go = (tab) => {
    history.replaceState(null, "", tab.hash);
    select(tab);
    tab.focus();
  };

  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = all.indexOf(document.activeElement);
    const steps = { ArrowRight: at + 1, ArrowLeft: at - 1 + all.length, Home: 0, End: all.length - 1, " ": at };
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    go(all[steps[event.key] % all.length]);
  });
  // A link to another tab; any other hash, as that of the skip link, changes nothing.
  addEventListener("hashchange", () => named() && select(named()));
  select(named() ?? all[0]);
}
