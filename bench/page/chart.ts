/** How does a run look? Bars of seconds, as SVG. */
import { BarChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use, type EChartsCoreOption } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Measurements } from '../frame/measurements.ts';
import type { Rivals, Workload } from '../frame/suite.ts';

/** What is shown. */
export interface ChartParts {
  readonly title: string;
  /** One row each. */
  readonly workloads: readonly Workload[];
  /** In each row a bar for the best of each. */
  readonly rivals: readonly Rivals[];
}

const WIDTH = 960;
const ROW_HEIGHT = 48;
const HEAD_HEIGHT = 110;
const COLORS: readonly string[] = ['#1f6feb', '#9a9fa6', '#e0b04a'];

export function chartOf(parts: ChartParts, measurements: Measurements): string {
  use([BarChart, GridComponent, LegendComponent, SVGRenderer, TitleComponent]);
  const height = HEAD_HEIGHT + ROW_HEIGHT * parts.workloads.length;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  try {
    chart.setOption(optionsOf(parts, measurements));
    return `${chart.renderToSVGString()}\n`;
  } finally {
    chart.dispose();
  }
}

function optionsOf({ title, workloads, rivals }: ChartParts, measurements: Measurements): EChartsCoreOption {
  const values = rivals.map(({ subjects }) =>
    workloads.map((workload) => measurements.best(workload, subjects)),
  );
  const begin = roundBelow(values.flat().filter((value) => value !== undefined));
  return {
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
    series: rivals.map(({ name }, index) => ({
      type: 'bar',
      name,
      label: { show: true, position: 'right', fontSize: 10, formatter: secondsOf },
      data: values[index]?.map((value) => value ?? '-') ?? [],
    })),
  };
}

/** Where bars begin: a logarithm knows no zero. */
function roundBelow(values: readonly number[]): number {
  return 10 ** Math.floor(Math.log10(Math.min(...values)) - 0.1);
}

function secondsOf({ value }: { readonly value: unknown }): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(2))) : '';
}
