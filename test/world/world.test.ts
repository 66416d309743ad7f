import { systemClock } from '../../controller/runtime/clock.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import { apiServerConformance } from '../conformance/apiserver.ts';
import { ApiServer } from './apiserver.ts';
import { connectionTo } from './connection.ts';

apiServerConformance('The API server in memory', async () => {
  const server = new ApiServer({ clock: systemClock, random: seededRandom(1) });
  return { connection: connectionTo(server), namespace: 'default' };
});
