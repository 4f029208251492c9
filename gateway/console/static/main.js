// Starts the page: the tabs, the status line and the four panels.

import { cascade } from "./cascade.js";
import { decide } from "./decide.js";
import { extract } from "./extract.js";
import { forecast } from "./forecast.js";
import { watchServices } from "./status.js";
import { tabs } from "./tabs.js";

for (const [name, start] of Object.entries({ decide, extract, forecast, cascade })) {
  start(document.getElementById(`${name}-panel`));
}
document.getElementById("main").hidden = false;
tabs(document.querySelector("[role=tablist]"));
watchServices(document.getElementById("status"));
