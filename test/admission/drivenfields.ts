import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import { drivenFields } from '../../schemas/rules/drivenfields.ts';
import type { AdmissionCase } from './case.ts';
import { copiedCases } from './copied.ts';
import { smallClass, usualObjects } from './facts.ts';
import type { SpecBuild } from './machinespec.ts';
import { isMade, makerOf, ownedBy } from './maker.ts';

/** What asks for each field, by the id of its rule. */
export const drivenAsked: Readonly<Record<string, MachineSpec>> = {
  'retain-possible': { deletionPolicy: 'Retain' },
  'power-possible': { powerState: 'PoweredOff' },
  'suspend-possible': { powerState: 'Suspended' },
  'power-off-mode-possible': { powerOffMode: 'Hard' },
  'suspend-mode-possible': { suspendMode: 'Soft' },
  'restart-mode-possible': { restartMode: 'Hard' },
  'restart-possible': { nextRestartTime: '2999-01-31T08:00:00Z' },
  'network-possible': { network: { interfaces: [{ name: 'front' }] } },
  'disks-possible': { promoteDisksMode: 'Online' },
  'image-possible': { image: { ref: 'debian-13' } },
  'image-name-possible': { image: { name: 'debian' } },
  'versions-possible': { versions: { kubelet: 'v1.36.2' } },
};

/** What asks for nothing: what the API server fills in, and what is empty. */
const NOTHING: MachineSpec = {
  deletionPolicy: 'Delete',
  powerOffMode: 'TrySoft',
  suspendMode: 'TrySoft',
  restartMode: 'TrySoft',
  promoteDisksMode: 'Disabled',
  network: { disabled: false, interfaces: [] },
  versions: {},
};

/** A field that the driver cannot bring about is refused, and none that it can (hack/decisions/0051 C4, U3). */
export function drivenFieldCases<T extends KubeObject>({ build, specOf, idPrefix }: SpecBuild<T>): AdmissionCase<T>[] {
  const saying = (spec: MachineSpec) => build((made) => Object.assign(specOf(made), spec));
  const by = (provider: string, spec: MachineSpec = {}) =>
    saying({ class: undefined, provider, providerSpec: {}, ...spec });
  const rows = drivenFields.filter(({ ownOnly }) => !ownOnly || idPrefix === '');
  const powerOff = { powerState: 'PoweredOff' } as const;
  const refused = [`${idPrefix}power-possible`];
  return [
    ...rows.flatMap(({ id, needs }) => fieldCases({ id, idPrefix, asked: drivenAsked[id] ?? {}, needs, by })),
    { what: 'fields that ask for nothing', now: by('virtual', NOTHING), refused: [] },
    { what: 'a power state, by a class', now: saying(powerOff), refused },
    {
      what: 'a power state, by a class that is not there',
      now: saying(powerOff),
      among: [],
      refused: [],
      warned: [`${idPrefix}class-there`],
    },
    {
      what: 'other settings beside a power state that was there before',
      before: saying(powerOff),
      now: saying({ ...powerOff, drainTimeout: '5m' }),
      refused: [],
    },
    { what: 'a power state that is taken off', before: saying(powerOff), now: saying({}), refused: [] },
    ...copiedCases({
      broken: by('virtual', powerOff),
      good: by('virtual'),
      rule: `${idPrefix}power-possible`,
    }),
    ...elsewhereCases({ saying, id: `${idPrefix}heeded-elsewhere` }),
    ...carriedCases({ before: by('virtual'), now: by('virtual', powerOff), rule: `${idPrefix}power-possible` }),
  ];
}

/** Of a class that the machine controller of somebody else serves (hack/decisions/0051 U13). */
function elsewhereCases<T extends KubeObject>({
  saying,
  id,
}: {
  saying(spec: MachineSpec): T;
  id: string;
}): AdmissionCase<T>[] {
  const among = [...usualObjects.filter(({ kind }) => kind !== smallClass.kind), { ...smallClass, provider: 'AWS' }];
  const taints = [{ key: 'example.io/a', effect: 'NoSchedule' as const }];
  const owned = ownedBy(saying({ taints }));
  return [
    {
      what: 'taints and a retained VM, of a class of somebody else',
      now: saying({ taints, deletionPolicy: 'Retain' }),
      among,
      refused: [],
      warned: [id, id],
    },
    {
      what: 'added taints, of such a class',
      before: saying({}),
      now: saying({ taints }),
      among,
      refused: [],
      warned: [id],
    },
    {
      what: 'fields that MCM has, of such a class',
      now: saying({ ...NOTHING, drainTimeout: '5m' }),
      among,
      refused: [],
    },
    ...(isMade(owned)
      ? [{ what: 'what such a template says, copied', now: owned, among: [...among, makerOf(owned)], refused: [] }]
      : []),
  ];
}

/** What a set or deployment carries later from its stored template to what it made (hack/decisions/0052). */
function carriedCases<T extends KubeObject>({
  before,
  now,
  rule,
}: {
  before: T;
  now: T;
  rule: string;
}): AdmissionCase<T>[] {
  if (!isMade(now)) return [];
  const later = { before: ownedBy(before), now: ownedBy(now) };
  const among = (template: T) => [...usualObjects, makerOf(template)];
  return [
    { what: 'a power state that a controller carries', ...later, among: among(now), refused: [], warned: [rule] },
    { what: 'a power state that no template has', ...later, among: among(before), refused: [rule] },
  ];
}

interface FieldCases<T extends KubeObject> {
  id: string;
  idPrefix: string;
  asked: MachineSpec;
  needs: string | undefined;
  by(provider: string, spec?: MachineSpec): T;
}

function fieldCases<T extends KubeObject>({ id: row, idPrefix, asked, needs, by }: FieldCases<T>): AdmissionCase<T>[] {
  const id = `${idPrefix}${row}`;
  const what = JSON.stringify(asked);
  const cannot = needs === 'retain' ? 'shelf' : 'virtual';
  const before = (provider: string, spec?: MachineSpec) => ({ before: by(provider), now: by(provider, spec) });
  return [
    {
      what: `${what}, of a driver that cannot`,
      ...before(cannot, asked),
      ...(cannot === 'shelf' && { madeUp: true }),
      refused: [id],
    },
    {
      what: `${what}, of a driver that can`,
      ...before('forge', asked),
      madeUp: true,
      refused: needs === undefined ? [id] : [],
    },
    {
      what: `${what}, of a driver of somebody else`,
      ...before('aws', asked),
      refused: [],
      warned: [`${idPrefix}heeded-elsewhere`],
    },
  ];
}
