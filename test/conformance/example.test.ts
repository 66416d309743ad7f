import { expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { driverConformance } from './driver.ts';
import { shelfDriver } from './example.ts';

driverConformance({
  name: 'shelf, the example',
  methods: ['getMachineStatus', 'listMachines', 'claimMachine'],
  stamps: true,
  specs: {
    plain: {},
    edited: { size: 'large' },
    unknownKey: { spec: { colour: 'red' }, path: 'colour' },
  },
  async start() {
    const folder = await mkdtemp(join(tmpdir(), 'shelf-'));
    return {
      driver: shelfDriver({ folder, clock }),
      secret: {},
      inventory: () => readdir(folder),
      logged: () => '',
      stop: () => rm(folder, { recursive: true }),
    };
  },
});

test('The README for authors of drivers shows the example as it is', async () => {
  const code = await Bun.file(join(import.meta.dir, 'example.ts')).text();
  const readme = await Bun.file(join(import.meta.dir, '../../controller/drivers/README.md')).text();
  const there = code.replaceAll("'../../controller/drivers/", "'../").replaceAll("'../../controller/", "'../../");
  expect(readme).toContain(`\`\`\`ts\n${there}\`\`\`\n`);
});
