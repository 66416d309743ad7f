import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { DriverError } from '../../controller/codes.ts';
import type { ClassRequest, MachineRequest, RunningDriver, VmAnswer } from '../../controller/driver.ts';
import type { Clock } from '../../controller/runtime/clock.ts';

/** A driver whose provider is a folder and whose VMs are files in it: the least that keeps every promise. */
export function shelfDriver({ folder, clock }: { folder: string; clock: Clock }): RunningDriver {
  const fileOf = (request: MachineRequest) => join(folder, idOf(request));
  return {
    name: 'shelf',
    providerSpec: {
      type: 'object',
      properties: { size: { type: 'string', enum: ['small', 'large'], description: 'How large the VM is.' } },
      additionalProperties: false,
    },
    start: async () => {},

    async createMachine(request) {
      begin(request);
      const { machine, incarnation } = request;
      const vm = { machineName: machine.metadata.name, class: classOf(request), incarnation, created: clock.now() };
      // One file a token, and 'wx' refuses to write it twice: that makes the call idempotent.
      await writeFile(fileOf(request), JSON.stringify({ ...vm, ...readSpec(request) }), { flag: 'wx' }).catch(
        (error) => {
          if (error.code !== 'EEXIST')
            throw new DriverError('Unavailable', 'the shelf cannot be written', { cause: error });
        },
      );
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
      const vms = await Promise.all(ids.map(async (id) => ({ id, ...(await Bun.file(join(folder, id)).json()) })));
      const ofClass = vms.filter((vm) => vm.class === classOf(request));
      return ofClass.map(({ id, machineName, incarnation, created }) => {
        return { providerID: PREFIX + id, machineName, incarnation, created };
      });
    },
  };
}

const PREFIX = 'shelf:///';
const spec = v.strictObject({ size: v.optional(v.picklist(['small', 'large']), 'small') });

/** The VM that the machine names; before that is recorded, the one of its token. */
const idOf = ({ machine, token }: MachineRequest): string => machine.spec.providerID?.slice(PREFIX.length) || token;

const classOf = ({ class: { metadata } }: ClassRequest): string => `${metadata.namespace}/${metadata.name}`;

const answerTo = (request: MachineRequest): VmAnswer => ({
  providerID: PREFIX + idOf(request),
  nodeName: request.machine.metadata.name,
});

function begin({ signal }: ClassRequest): void {
  if (signal.aborted) throw new DriverError('DeadlineExceeded', 'the call was given up', { cause: signal.reason });
}

function readSpec(request: ClassRequest): v.InferOutput<typeof spec> {
  const { success, output, issues } = v.safeParse(spec, request.class.providerSpec);
  if (success) return output;
  const findings = issues.map((issue) => `providerSpec.${v.getDotPath(issue)}: ${issue.message}`);
  throw new DriverError('InvalidArgument', findings.join('; '));
}
