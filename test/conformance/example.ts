import { link, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import type {
  ClassRequest,
  ListedVm,
  MachineRequest,
  RunningDriver,
  VmAnswer,
} from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { assertOwned, isSameOwner, ownerIn, predecessorAmong } from '../../controller/drivers/sdk/vmstatus.ts';
import type { Clock } from '../../controller/runtime/clock.ts';

/** A driver whose provider is a folder and whose VMs are files in it: the least that keeps every promise. */
export function shelfDriver({ folder, clock }: { folder: string; clock: Clock }): RunningDriver {
  const { fileOf, all, find } = shelfIn(folder);
  return {
    name: 'shelf',
    providerSpec,
    start: async () => {},

    async createMachine(request) {
      const known = await find(request, foundOrMade);
      const { size } = readSpec(request);
      const vm = known ?? { ...listedAs(request, clock.now()), class: classOf(request), size };
      await writeOnce(fileOf(vm.providerID), vm);
      return answerTo(vm);
    },

    async deleteMachine(request) {
      const vm = await find(request);
      if (vm) assertOwned(vm, request);
      if (vm) await rm(fileOf(vm.providerID), { force: true });
      return {};
    },

    async getMachineStatus(request) {
      return answerTo((await find(request, foundOrMade)) ?? absent(request));
    },

    async claimMachine(request) {
      const vm = (await find(request)) ?? absent(request);
      if (!isSameOwner(vm.owner, request.from)) assertOwned(vm, request);
      const claimed = { ...vm, owner: ownerIn(request), incarnation: request.incarnation };
      await rename(await drafted(fileOf(vm.providerID), claimed), fileOf(vm.providerID));
      return answerTo(claimed);
    },

    async listMachines(request) {
      begin(request);
      return (await all()).filter((vm) => vm.class === classOf(request));
    },
  };
}

/** What the folder holds. */
function shelfIn(folder: string) {
  const read = (id: string): Promise<Vm | undefined> => Bun.file(join(folder, id)).json().catch(unlessGone);
  const all = async () => {
    const vms = await Promise.all((await readdir(folder)).filter(isVm).map(read));
    return vms.filter((vm) => vm !== undefined);
  };
  return {
    all,
    async find(request: MachineRequest, among = found) {
      begin(request);
      return among(await all(), request);
    },
    fileOf: (providerID: string) => join(folder, providerID.slice(PREFIX.length)),
  };
}

const PREFIX = 'shelf:///';
const DRAFT = '.draft';

const providerSpec = {
  type: 'object',
  properties: { size: { type: 'string', enum: ['small', 'large'], description: 'How large the VM is.' } },
  additionalProperties: false,
};
const spec = v.strictObject({ size: v.optional(v.picklist(['small', 'large']), 'small') });

/** What a file says. */
type Vm = ListedVm & { owner: Required<ListedVm>['owner']; class: string; size: string };

const isVm = (file: string): boolean => !file.endsWith(DRAFT);

const listedAs = (request: MachineRequest, created: number) => ({
  providerID: PREFIX + request.token,
  machineName: request.machine.metadata.name,
  incarnation: request.incarnation,
  owner: ownerIn(request),
  created,
});

/** The VM that the machine names; before that is recorded, the one that is marked for it. */
function found(vms: readonly Vm[], { machine }: MachineRequest): Vm | undefined {
  const { providerID } = machine.spec;
  return vms.find((vm) => (providerID ? vm.providerID === providerID : vm.owner.uid === machine.metadata.uid));
}

/** The same, and the one that was made for it before a restore or a move. */
const foundOrMade = (vms: readonly Vm[], request: MachineRequest): Vm | undefined =>
  found(vms, request) ??
  (request.machine.spec.providerID ? undefined : predecessorAmong(vms, ({ owner }) => owner, request));

function absent({ machine }: MachineRequest): never {
  throw new DriverError('NotFound', `there is no VM for ${machine.metadata.name}`);
}

const classOf = ({ class: { metadata } }: ClassRequest): string => `${metadata.namespace}/${metadata.name}`;

const answerTo = ({ providerID, machineName, owner }: Vm): VmAnswer => ({ providerID, nodeName: machineName, owner });

/** One file a token, and no link goes where there is one already: that makes createMachine idempotent. */
async function writeOnce(path: string, vm: Vm): Promise<void> {
  const draft = await drafted(path, vm);
  await link(draft, path).catch((error) => {
    if (error.code !== 'EEXIST') throw new DriverError('Unavailable', 'the shelf cannot be written', { cause: error });
  });
  await rm(draft);
}

/** Nobody reads half a file: it is written beside the place that it is for. */
async function drafted(path: string, vm: Vm): Promise<string> {
  const draft = `${path}.${crypto.randomUUID()}${DRAFT}`;
  await writeFile(draft, JSON.stringify(vm));
  return draft;
}

function unlessGone(error: { code?: string }): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function begin({ signal }: ClassRequest): void {
  if (signal.aborted) throw new DriverError('DeadlineExceeded', 'the call was given up', { cause: signal.reason });
}

function readSpec(request: ClassRequest): v.InferOutput<typeof spec> {
  const { success, output, issues } = v.safeParse(spec, request.class.providerSpec);
  if (success) return output;
  const findings = issues.map((issue) => `providerSpec.${v.getDotPath(issue)}: ${issue.message}`);
  throw new DriverError('InvalidArgument', findings.join('; '));
}
