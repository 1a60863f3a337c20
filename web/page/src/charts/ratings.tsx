/** Ratings over the blocks of a season, with their intervals as bands. A part of its own: uPlot comes with it. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { History } from "~/charts/history";
import { language, number } from "~/i18n";
import { theme } from "~/parts/theme";
import "~/charts/ratings.css";

/** So many lines can be told apart. */
export const MAX_CHART_LINES = 8;

const HEIGHT_PIXELS = 340;

export default function RatingChart(props: { history: History; label: string; xLabel: string }) {
  const { history, label, xLabel } = props;
  const place = useRef<HTMLDivElement>(null);
  const colours = theme.value;
  const tongue = language.value;
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    let chart = draw(box, history, xLabel);
    const redraw = () => {
      chart.destroy();
      chart = draw(box, history, xLabel);
    };
    const resized = new ResizeObserver(() => {
      if (box.clientWidth !== chart.width) chart.setSize({ width: box.clientWidth, height: HEIGHT_PIXELS });
    });
    resized.observe(box);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    return () => {
      resized.disconnect();
      dark.removeEventListener("change", redraw);
      chart.destroy();
    };
  }, [history, xLabel, colours, tongue]);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}

function draw(box: HTMLElement, history: History, xLabel: string): uPlot {
  const colour = colourReader(box);
  const series: uPlot.Series[] = [{ label: xLabel }];
  const bands: uPlot.Band[] = [];
  const columns: (readonly (number | null)[])[] = [history.blocks];
  for (const [at, line] of history.lines.entries()) {
    const stroke = colour(`--line-${(at % MAX_CHART_LINES) + 1}`);
    const first = columns.length;
    const edge = { stroke: "transparent", points: { show: false } };
    series.push({ label: line.bot, stroke, width: 2, points: { size: 5 } }, edge, edge);
    bands.push({ series: [first + 2, first + 1], fill: translucent(stroke) });
    columns.push(line.rating, line.low, line.high);
  }
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
  const options: uPlot.Options = {
    width: box.clientWidth,
    height: HEIGHT_PIXELS,
    scales: { x: { time: false } },
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    axes: [
      { ...axis, label: xLabel, labelSize: 22, values: (_, ticks) => ticks.map((tick) => number(tick)) },
      { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => number(tick)) },
    ],
    series,
    bands,
  };
  return new uPlot(options, columns as uPlot.AlignedData, box);
}

/** Reads a variable of the style sheet as a colour that a canvas understands. */
function colourReader(box: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    box.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

function translucent(colour: string): string {
  return colour.replace(/^rgb\((.*)\)$/, "rgba($1, 0.13)");
}
