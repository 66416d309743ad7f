import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout } from 'bun:test';
import { controlPlane } from './cluster.ts';
import { type ControllerProcess, startController } from './controller.ts';
import { Herd } from './herd.ts';

/**
 * Gives a test file a controller with the chart's rights on the shared API server, a namespace of its own, and the
 * class `small` in it; the namespace is emptied before each test.
 */
export function useHerd(): Herd {
  setDefaultTimeout(60_000);
  const herd = new Herd();
  let controller: ControllerProcess;

  beforeAll(async () => {
    const cluster = await controlPlane();
    herd.settle(cluster, await cluster.namespace('herd'));
    controller = await startController({ cluster, namespace: herd.namespace });
  });

  beforeEach(async () => {
    await herd.kubectl('delete', 'mcd,mcs,mc', '--all', '--timeout=20s');
    await herd.makeClass('small');
  });

  afterAll(async () => {
    const lines = await controller.lines();
    expect(await controller.stop()).toBe(0);
    expect(lines.filter((line) => line.includes('Forbidden'))).toEqual([]);
  });

  return herd;
}
