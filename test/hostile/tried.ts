import { expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Ended } from '../../hack/controlplane/kubectl.ts';
import { applyManifests } from '../../hack/controlplane/manifests.ts';
import { until } from '../../hack/lib/until.ts';
import type { Attack, Manifest, Scene } from './attack.ts';
import { type Hostile, TENANTS } from './scene.ts';

const HOLD = 'example.io/hold';
/** For what comes of a request only after others have looked at it. */
const SEEN_MS = 20_000;

let attempts = 0;

/** A test for each attack, in each namespace that it is for. */
export function tried(attacks: readonly Attack[], hostile: () => Hostile): void {
  for (const attack of attacks) {
    for (const where of placesOf(attack)) {
      attempts += 1;
      const scene = { namespace: TENANTS[where], name: `a${attempts}` };
      test(`${attack.who} tries ${attack.tries} (${where})`, () => attempt(hostile(), attack, scene));
    }
  }
}

const placesOf = ({ who, where }: Attack): ReadonlyArray<keyof typeof TENANTS> => {
  if (where) return [where];
  return who === 'mallory' ? ['guarded', 'loose'] : ['loose'];
};

type Place = Pick<Scene, 'namespace' | 'name'>;

async function attempt(hostile: Hostile, attack: Attack, place: Place): Promise<void> {
  const { given = [], leaving, must, after } = attack;
  await prepare(hostile, place, { given, leaving });
  const said = await undisturbed(() =>
    attack.sends ? sent(hostile, attack.sends, place) : typed(hostile, attack, place),
  );
  if (must === 'pass') expect(said).toMatchObject({ code: 0 });
  else {
    expect(said.stderr).toMatch(must);
    expect(said.code).toBe(1);
  }
  const look = (line: string) => lookedUp(hostile, place, line);
  if (after) await until('what must come of it', () => after({ ...place, look }), { timeoutMs: SEEN_MS });
}

/** Once more where the controller has written in between. */
async function undisturbed(work: () => Promise<Ended>): Promise<Ended> {
  const said = await work();
  return said.stderr.includes('the object has been modified') ? undisturbed(work) : said;
}

function typed({ cluster, as }: Hostile, { who, does = '', stdin }: Attack, place: Place): Promise<Ended> {
  const { words, kubeconfig } = as(who);
  return cluster.kubectl(['-n', place.namespace, ...words, ...does.split(' ').map((word) => filledIn(word, place))], {
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(stdin ? { stdin: filledIn(JSON.stringify(stdin), place) } : {}),
  });
}

/** As the controller, in whose place only it can be that kubectl does not help. */
async function sent({ cluster }: Hostile, { path, body }: NonNullable<Attack['sends']>, place: Place): Promise<Ended> {
  const { server, tls } = cluster.admin;
  const answer = await fetch(server + filledIn(path, place), {
    method: 'PATCH',
    ...(tls ? { tls } : {}),
    headers: {
      'content-type': 'application/merge-patch+json',
      'impersonate-user': 'system:serviceaccount:drover-system:drover-controller',
    },
    body: filledIn(JSON.stringify(body), place),
  });
  const text = await answer.text();
  return answer.ok ? { code: 0, stdout: text, stderr: '' } : { code: 1, stdout: '', stderr: JSON.parse(text).message };
}

const withHold = ({ metadata, ...one }: Manifest): Manifest => {
  const { finalizers = [] } = metadata as { finalizers?: readonly string[] };
  return { ...one, metadata: { ...metadata, finalizers: [...finalizers, HOLD] } };
};

async function prepare(
  { cluster }: Hostile,
  place: Place,
  { given, leaving }: { given: readonly Manifest[]; leaving: string | undefined },
): Promise<void> {
  const held = leaving ? given.map(withHold) : given;
  const objects = held.map((one) => JSON.parse(filledIn(JSON.stringify(one), place)) as KubeObject);
  const namespace = (objects as Manifest[]).map(({ metadata }) => (metadata as { namespace?: string }).namespace);
  if (objects.length > 0) await applyManifests(cluster.admin, objects, namespace.find(Boolean) ?? place.namespace);
  if (!leaving) return;
  const words = ['-n', place.namespace, 'delete', filledIn(leaving, place), '--wait=false'];
  const { code, stderr } = await cluster.kubectl(words);
  if (code !== 0) throw new Error(stderr);
}

async function lookedUp({ cluster }: Hostile, place: Place, line: string): Promise<string> {
  const words = line.split(' ').map((word) => filledIn(word, place));
  const { code, stdout } = await cluster.kubectl(['-n', place.namespace, ...words]);
  return code === 0 ? stdout : '';
}

const filledIn = (text: string, { namespace, name }: Place): string =>
  text.replaceAll('NAMESPACE', namespace).replaceAll('NAME', name);
