import { parser } from '@prometheus-io/lezer-promql';
import type { MetricTable } from '../../../controller/runtime/observability/metrics.ts';

/** Labels of each series that can be queried, by its name; without those that Prometheus adds to what it scrapes. */
export type Series = ReadonlyMap<string, readonly string[]>;

/** Labels that every scraped series has, beside its own. */
const TARGET_LABELS: readonly string[] = ['job', 'instance', 'namespace', 'pod', 'service', 'container', 'endpoint'];

type Node = ReturnType<typeof parser.parse>['topNode'];

/** The series that metrics are exposed as: of a histogram there are three. */
export function seriesOf(tables: readonly MetricTable[]): Series {
  const rows = tables.flatMap((table) => Object.entries(table));
  const series = rows.flatMap(([name, { type, labels }]): Array<[string, readonly string[]]> => {
    if (type !== 'histogram') return [[name, labels]];
    return [
      [`${name}_bucket`, [...labels, 'le']],
      [`${name}_sum`, labels],
      [`${name}_count`, labels],
    ];
  });
  return new Map([['up', []], ...series]);
}

/** What is wrong with an expression: its syntax, series that nobody exposes, and labels that they do not have. */
export function problemsOf(expression: string, series: (job: string) => Series | undefined): string[] {
  const root = parser.parse(expression).topNode;
  const [wrong] = below(root, '⚠');
  if (wrong) return [`cannot be read from "${expression.slice(wrong.from, wrong.from + 20)}" on`];
  const text = ({ from, to }: Node): string => expression.slice(from, to);
  const labelsOf = (selector: Node): readonly string[] | undefined =>
    series(jobOf(selector, text) ?? '')?.get(below(selector, 'Identifier').map(text)[0] ?? '');
  return [
    ...below(root, 'VectorSelector').flatMap((selector) => selectorProblems(selector, labelsOf(selector), text)),
    ...below(root, 'GroupingLabels').flatMap((grouping) => groupingProblems(grouping, labelsOf, text)),
  ];
}

/** Labels by which an expression groups anywhere, once each. */
export function groupingLabels(expression: string): string[] {
  const labels = below(parser.parse(expression).topNode, 'GroupingLabels').flatMap((node) => below(node, 'LabelName'));
  return [...new Set(labels.map(({ from, to }) => expression.slice(from, to)))];
}

type Text = (node: Node) => string;

function selectorProblems(selector: Node, labels: readonly string[] | undefined, text: Text): string[] {
  const [name = ''] = below(selector, 'Identifier').map(text);
  if (!labels) return [`no program exposes ${name} to the job ${jobOf(selector, text) ?? 'that is not named'}`];
  const asked = below(selector, 'LabelName').map(text);
  return asked.filter((label) => !known(labels, label)).map((label) => `${name} has no label ${label}`);
}

/** A label by which series are grouped or matched must be on all of them, else it would be empty. */
function groupingProblems(
  grouping: Node,
  labelsOf: (selector: Node) => readonly string[] | undefined,
  text: Text,
): string[] {
  let over: Node | null = grouping;
  while (over && over.name !== 'AggregateExpr' && over.name !== 'BinaryExpr') over = over.parent;
  const selectors = over ? below(over, 'VectorSelector') : [];
  return below(grouping, 'LabelName')
    .map(text)
    .filter((label) => !selectors.every((selector) => known(labelsOf(selector) ?? [], label)))
    .map((label) => `grouping by ${label}, which not all of its series have`);
}

const known = (labels: readonly string[], label: string): boolean =>
  labels.includes(label) || TARGET_LABELS.includes(label);

function jobOf(selector: Node, text: Text): string | undefined {
  const matchers = below(selector, 'UnquotedLabelMatcher').map(text);
  return matchers.map((matcher) => /^job="(.*)"$/.exec(matcher)?.[1]).find((job) => job !== undefined);
}

/** Nodes of a name anywhere in the tree; syntax errors have the name ⚠. */
function below(node: Node, name: string): Node[] {
  const found: Node[] = [];
  node.cursor().iterate((cursor) => {
    if (cursor.name === name) found.push(cursor.node);
  });
  return found.filter(({ from, to }) => from >= node.from && to <= node.to);
}
