import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout } from 'bun:test';
import { type ControllerProcess, startController } from './controllerprocess.ts';
import { controlPlane } from './controlplane.ts';
import { Herd } from './herd.ts';

/**
 * Gives a test file a controller with the chart's rights on the shared API server, a namespace of its own, and the
 * class `small` in it; the namespace is emptied before each test.
 */
export function useHerd(): Herd {
  setDefaultTimeout(180_000);
  const herd = new Herd();
  let controller: ControllerProcess;
  const lines: string[] = [];
  const stop = async () => {
    lines.push(...(await controller.lines()));
    expect(await controller.stop()).toBe(0);
  };

  beforeAll(async () => {
    const cluster = await controlPlane();
    herd.settle(cluster, await cluster.namespace('herd'));
    const start = async () => {
      controller = await startController({ cluster, namespace: herd.namespace });
    };
    await start();
    herd.controller = () => controller;
    herd.restart = () => stop().then(start);
  });

  beforeEach(async () => {
    await herd.clear();
    await herd.makeClass('small');
  });

  afterAll(async () => {
    await stop();
    await herd.leave();
    const lacks = (line: string) => line.includes('Forbidden') && !line.includes('exceeded quota');
    expect(lines.filter(lacks)).toEqual([]);
  });

  return herd;
}
