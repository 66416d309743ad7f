import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { DriverError } from '../../controller/codes.ts';
import type { ClassRequest, ListedVm, MachineRequest, RunningDriver, VmAnswer } from '../../controller/driver.ts';
import type { Clock } from '../../controller/runtime/clock.ts';

/** A driver whose provider is a folder and whose VMs are files in it: the least that keeps every promise. */
export function shelfDriver({ folder, clock }: { folder: string; clock: Clock }): RunningDriver {
  const fileOf = (request: MachineRequest) => join(folder, idOf(request));
  return {
    name: 'shelf',
    providerSpec,
    start: async () => {},

    async createMachine(request) {
      begin(request);
      const vm: Vm = { ...listedAs(request, clock.now()), class: classOf(request), size: readSpec(request).size };
      await writeOnce(fileOf(request), vm);
      return answerTo(request);
    },

    async deleteMachine(request) {
      begin(request);
      await rm(fileOf(request), { force: true });
      return {};
    },

    async getMachineStatus(request) {
      begin(request);
      if (await Bun.file(fileOf(request)).exists()) return answerTo(request);
      throw new DriverError('NotFound', `there is no VM for ${request.machine.metadata.name}`);
    },

    async listMachines(request) {
      begin(request);
      const ids = await readdir(folder);
      const vms: Vm[] = await Promise.all(ids.map((id) => Bun.file(join(folder, id)).json()));
      return vms.filter((vm) => vm.class === classOf(request));
    },
  };
}

const PREFIX = 'shelf:///';

const providerSpec = {
  type: 'object',
  properties: { size: { type: 'string', enum: ['small', 'large'], description: 'How large the VM is.' } },
  additionalProperties: false,
};
const spec = v.strictObject({ size: v.optional(v.picklist(['small', 'large']), 'small') });

/** What a file says. */
type Vm = ListedVm & { class: string; size: string };

const listedAs = (request: MachineRequest, created: number): ListedVm => ({
  providerID: PREFIX + idOf(request),
  machineName: request.machine.metadata.name,
  incarnation: request.incarnation,
  created,
});

/** The VM that the machine names; before that is recorded, the one of its token. */
const idOf = ({ machine, token }: MachineRequest): string => machine.spec.providerID?.slice(PREFIX.length) || token;

const classOf = ({ class: { metadata } }: ClassRequest): string => `${metadata.namespace}/${metadata.name}`;

const answerTo = (request: MachineRequest): VmAnswer => ({
  providerID: PREFIX + idOf(request),
  nodeName: request.machine.metadata.name,
});

/** One file a token, and 'wx' refuses to write it twice: that makes createMachine idempotent. */
async function writeOnce(path: string, vm: Vm): Promise<void> {
  await writeFile(path, JSON.stringify(vm), { flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw new DriverError('Unavailable', 'the shelf cannot be written', { cause: error });
  });
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
