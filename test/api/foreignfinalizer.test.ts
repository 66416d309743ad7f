import { expect, setDefaultTimeout, test } from 'bun:test';
import { useHerd } from './support/herdfixture.ts';

setDefaultTimeout(180_000);

const herd = useHerd();

const labels = { of: 'audited' };
const keeper = 'example.com/audit';

/** Two machines, one of which may be missing, and none above, which carry a finalizer that nobody takes off. */
const audited = (round: string) =>
  herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineDeployment',
    metadata: { name: 'audited' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: {
        metadata: { labels: { ...labels, round }, finalizers: [keeper] },
        spec: { class: { kind: 'MachineClass', name: 'small' } },
      },
    },
  });

/** Names of machines by what keeps them. */
async function machines(): Promise<{ up: string[]; kept: string[] }> {
  const path = '{range .items[*]}{.metadata.name} {.status.currentStatus.phase} {.metadata.finalizers}{"\\n"}{end}';
  const lines = (await herd.kubectl('get', 'mc', '-l', 'of=audited', '-o', `jsonpath=${path}`)).trim().split('\n');
  const rows = lines.map((line) => line.split(' '));
  const of = (isWanted: (row: string[]) => boolean) => rows.filter(isWanted).map(([name = '']) => name);
  return {
    up: of(([, phase]) => phase === 'Running'),
    kept: of(([, phase, keepers = '']) => phase === 'Terminating' && keepers === `["${keeper}"]`),
  };
}

const whenKept = (count: number) =>
  herd.eventually(`${count} machines are only kept, and two others run`, async () => {
    const { up, kept } = await machines();
    return up.length === 2 && kept.length === count;
  });

/** hack/decisions/0051 S36: such machines held the places of others for ever. */
test('machines whose VMs are gone, and that a finalizer of their template keeps, are replaced, and hold up no rollout', async () => {
  await audited('1');
  await herd.kubectl('wait', 'mcd/audited', '--for=jsonpath={.status.readyReplicas}=2', '--timeout=45s');
  try {
    await herd.kubectl('delete', 'mc', '-l', 'of=audited', '--wait=false');
    await whenKept(2);
    await audited('2');
    await whenKept(4);
    const complete = '--for=condition=Progressing=True';
    await herd.kubectl('wait', 'mcd/audited', complete, '--timeout=30s');
    const reason = '--for=jsonpath={.status.conditions[?(@.type=="Progressing")].reason}=NewMachineSetAvailable';
    await herd.kubectl('wait', 'mcd/audited', reason, '--timeout=30s');
    expect(await herd.vms()).toHaveLength(2);
  } finally {
    await herd.kubectl('delete', 'mcd', 'audited', '--wait=false');
    await herd.eventually('every machine is only kept', async () => (await machines()).kept.length === 4);
    await herd.kubectl(
      'patch',
      'mc',
      ...(await machines()).kept,
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    );
  }
});
