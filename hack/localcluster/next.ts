import type { UpOptions } from './options.ts';
import { place } from './place.ts';

type Thing = readonly [what: string, command: string];

const WITH_HERD: readonly Thing[] = [
  ['look', 'kubectl get mcd,mcs,mc,nodes'],
  ['scale', 'kubectl scale mcd herd --replicas 5'],
  ['roll', `kubectl patch mcd herd --type merge -p '{"spec":{"template":{"metadata":{"labels":{"round":"2"}}}}}'`],
  ['break a rule', `kubectl patch mcd herd --type merge -p '{"spec":{"selector":{"matchLabels":{"herd":"other"}}}}'`],
  [
    'lose a VM',
    "kubectl delete configmap -n drover-virtual-cloud $(kubectl get mc -o jsonpath='{.items[0].metadata.uid}')",
  ],
  ['see events', 'kubectl events'],
];
const WITHOUT_HERD: readonly Thing[] = [['make the herd', './hack/up']];
const ALWAYS: readonly Thing[] = [
  ['stop', './hack/down'],
  ['forget', './hack/down --purge'],
];

/** What the user may do now, each thing with its command, and first how to use kubectl with what runs here. */
export function nextSteps(upTo: UpOptions['upTo']): string {
  const things = [...(upTo === 'herd' ? WITH_HERD : WITHOUT_HERD), ...ALWAYS];
  const lines = things.map(([what, command]) => `  ${what.padEnd(14)} ${command}`);
  const shell = `  export KUBECONFIG="${place.kubeconfig}" PATH="${place.bin}:$PATH"`;
  return ['What to try next:', '', shell, '', ...lines].join('\n');
}
