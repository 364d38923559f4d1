"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colours = ["#2563a8", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0e7490", "#a16207", "#475569"];
  const lab = data.lab;
  const byId = (id) => document.getElementById(id);
  const si = (value) => {
    if (value == null) return "";
    const size = Math.abs(value);
    for (const [unit, factor] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
      if (size >= factor) return +(value / factor).toPrecision(3) + unit;
    }
    return String(+value.toPrecision(3));
  };

  document.title = "roce4j lab: " + lab.lab;
  byId("title").textContent = lab.lab;
  byId("about").textContent = data.about;
  byId("facts").textContent = [
    lab.topology,
    si(lab.linkBitsPerSecond) + "bit/s a host",
    "base RTT " + lab.baseRttNs + " ns",
    "BDP " + lab.bdpPackets + " packets",
    "first seed " + lab.seed,
    "roce4j " + lab.version,
  ].join(" · ");
  byId("table").innerHTML = data.table;
  for (const text of data.verdicts) {
    const line = document.createElement("p");
    line.textContent = text;
    line.className = text.startsWith("pass") ? "pass" : "short";
    byId("claims").append(line);
  }

  const axis = (label, values) => ({ label, values, size: 62, grid: { stroke: "#edf0f4" } });
  const draw = (place, title, xLabel, yLabel, columns, series) => {
    const width = Math.max(320, Math.min(600, byId(place).clientWidth || 600));
    new uPlot({
      title, width, height: 260,
      scales: { x: { time: false } },
      axes: [axis(xLabel, (u, ticks) => ticks.map(si)), axis(yLabel, (u, ticks) => ticks.map(si))],
      series: [{ label: xLabel, value: (u, v) => si(v) }].concat(series),
    }, columns, byId(place));
  };
  const nothing = (place, text) => {
    const line = document.createElement("p");
    line.className = "none";
    line.textContent = text;
    byId(place).append(line);
  };
  const line = (label, i, more) =>
    Object.assign({ label, stroke: colours[i % colours.length], width: 1.5, value: (u, v) => si(v) }, more);

  // One chart for each recorded quantity, one line for each scheme, on a common time axis.
  const recorded = data.schemes.filter((scheme) => scheme.lines);
  const names = [...new Set(recorded.flatMap((scheme) => Object.keys(scheme.lines)))];
  const isFlat = (name) => recorded.every((scheme) => (scheme.lines[name] || []).every((value) => value === 0));
  for (const name of names.filter((each) => !isFlat(each))) {
    const tables = recorded.map((scheme) => [scheme.timeUs, scheme.lines[name] || scheme.timeUs.map(() => null)]);
    const unit = name.split(" ").pop();
    draw("time", name, "time, us", unit.includes("/") || unit === "bytes" ? unit : "per sample",
      uPlot.join(tables), recorded.map((scheme, i) => line(scheme.name, i)));
  }
  if (names.length === 0) nothing("time", "Nothing was recorded.");
  else if (names.some(isFlat)) nothing("time", "Zero all the time: " + names.filter(isFlat).join(", ") + ".");

  // Cumulative distributions: the sorted values against their rank.
  const cdf = (key, title, xLabel) => {
    const schemes = data.schemes.filter((scheme) => scheme[key].length > 0);
    if (schemes.length === 0) return nothing("spread", title + ": no flow completed.");
    const tables = schemes.map((scheme) => {
      const xs = [], ys = [];
      scheme[key].forEach((x, i) => {
        const y = (i + 1) / scheme[key].length;
        if (xs.length && xs[xs.length - 1] === x) ys[ys.length - 1] = y;
        else { xs.push(x); ys.push(y); }
      });
      return [xs, ys];
    });
    draw("spread", title, xLabel, "fraction of flows", uPlot.join(tables),
      schemes.map((scheme, i) => line(scheme.name, i, { spanGaps: true, points: { show: true, size: 4 } })));
  };
  cdf("fctUs", "Flow completion time", "us");
  cdf("goodput", "Goodput of a flow", "fraction of the line");

  const ports = [...new Set(recorded.flatMap((scheme) => Object.keys(scheme.pathUse || {})))].sort();
  if (ports.length === 0) {
    nothing("paths", "There is one switch, and so one path.");
  } else {
    const shares = recorded.map((scheme) => {
      const bytes = ports.map((port) => (scheme.pathUse || {})[port] || 0);
      return bytes.sort((a, b) => b - a);
    });
    draw("paths", "Cables between switches, the fullest first", "cable", "bytes",
      [ports.map((port, i) => i)].concat(shares), recorded.map((scheme, i) => line(scheme.name, i)));
  }
})();
