/** How does a run look? Bars of seconds, as SVG. */
import { BarChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Measurements } from '../frame/measurements.ts';
import type { Workload } from '../frame/suite.ts';

/** Of whom the best is shown. */
export interface Bars {
  readonly name: string;
  readonly subjects: readonly string[];
}

const WIDTH = 960;
const ROW_HEIGHT = 48;
const HEAD_HEIGHT = 110;
const COLORS: readonly string[] = ['#1f6feb', '#9a9fa6', '#e0b04a'];

/** One row a workload, one bar in it for each of `bars`. */
export function chartOf(
  title: string,
  workloads: readonly Workload[],
  bars: readonly Bars[],
  measurements: Measurements,
): string {
  use([BarChart, GridComponent, LegendComponent, SVGRenderer, TitleComponent]);
  const height = HEAD_HEIGHT + ROW_HEIGHT * workloads.length;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  const values = bars.map(({ subjects }) =>
    workloads.map((workload) => measurements.best(workload, subjects)),
  );
  const least = Math.min(...values.flat().filter((value) => value !== undefined));
  // Bars begin at a round number below all of them: a logarithm knows no zero.
  const begin = 10 ** Math.floor(Math.log10(least) - 0.1);
  try {
    chart.setOption({
      animation: false,
      backgroundColor: '#ffffff',
      color: [...COLORS],
      title: { text: title, left: 'center', textStyle: { fontSize: 15 } },
      legend: { top: 32, itemGap: 24 },
      grid: { left: 250, right: 60, top: 64, bottom: 40 },
      xAxis: {
        type: 'log',
        name: 's',
        min: begin,
        startValue: begin,
        axisLabel: { formatter: (seconds: number) => String(seconds) },
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: workloads.map(({ name }) => name.replace(/, [^,]*$/, '')),
      },
      series: bars.map(({ name }, index) => ({
        type: 'bar',
        name,
        label: { show: true, position: 'right', fontSize: 10, formatter: secondsOf },
        data: values[index]?.map((value) => value ?? '-') ?? [],
      })),
    });
    return `${chart.renderToSVGString()}\n`;
  } finally {
    chart.dispose();
  }
}

function secondsOf({ value }: { readonly value: unknown }): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(2))) : '';
}
