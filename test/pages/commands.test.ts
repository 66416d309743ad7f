import { expect, test } from 'bun:test';
import { commandsOf, exportsOf, missingFrom } from './commands.ts';

const page = `# A page

\`\`\`console
$ export A=b
$ kubectl get mc
NAME            STATUS    AGE
herd-8489b-abcde   Running   9s
\`\`\`

\`\`\`sh
not --run
\`\`\`

\`\`\`console kind
$ helm install drover charts/drover \\
    --wait
STATUS: deployed
\`\`\`
`;

test('the commands of a page are read with what stands below them', () => {
  expect(commandsOf(page, 'up')).toEqual([
    { command: 'export A=b', output: [] },
    { command: 'kubectl get mc', output: ['NAME            STATUS    AGE', 'herd-8489b-abcde   Running   9s'] },
  ]);
});

test('blocks for another ground are left alone, and a backslash continues a command', () => {
  expect(commandsOf(page, 'kind')).toEqual([
    { command: 'helm install drover charts/drover \\\n    --wait', output: ['STATUS: deployed'] },
  ]);
});

test('exports are told apart', () => {
  expect(exportsOf(commandsOf(page, 'up'))).toBe('export A=b');
});

test('names, ages and widths do not count', () => {
  const command = { command: '', output: ['NAME STATUS AGE', 'herd-8489b-abcde Running 9s', 'no such line'] };
  const printed = 'NAME      STATUS     AGE\nherd-zzzzz-zzzzz  Running  12m4s\nmore';
  expect(missingFrom(printed, command)).toEqual(['no such line']);
});
