import { describe, expect, test } from 'bun:test';
import { environment, type Origin, PROGRAM } from './facts.ts';
import { archiveOf, imageOf, indexArchiveOf, wholeReference } from './layout.ts';

const origin: Origin = { commit: 'abc123', seconds: 1_700_000_000 };
const layers = [[{ path: 'etc/passwd', content: 'root' }], [{ path: 'usr/local/bin/drover', content: 'program' }]];
const image = imageOf({ arch: 'amd64', origin, layers });

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: object;
  annotations?: Record<string, string>;
}

/** The files of a tar archive by path. */
async function unpack(archive: Uint8Array<ArrayBuffer>): Promise<Map<string, Blob>> {
  return new Bun.Archive(archive).files();
}

const json = async (files: Map<string, Blob>, path: string) => JSON.parse((await files.get(path)?.text()) ?? 'null');
const blobPath = ({ digest }: { digest: string }) => `blobs/${digest.replace(':', '/')}`;

describe('as an OCI layout', () => {
  test('every blob is found by its hash, and has the size that is told of it', async () => {
    const files = await unpack(archiveOf(image, 'drover:1', 0));
    const { manifests } = await json(files, 'index.json');
    const manifest = await json(files, blobPath(manifests[0]));
    for (const one of [manifests[0], manifest.config, ...manifest.layers] as Descriptor[]) {
      const content = (await files.get(blobPath(one))?.bytes()) ?? new Uint8Array();
      expect(content.length).toBe(one.size);
      expect(`sha256:${Bun.SHA256.hash(content, 'hex')}`).toBe(one.digest);
    }
    expect(await json(files, 'oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
  });

  test('the index names the image for those who import it', async () => {
    const files = await unpack(archiveOf(image, 'drover:1', 0));
    const { manifests } = await json(files, 'index.json');
    expect(manifests).toHaveLength(1);
    expect(manifests[0]).toMatchObject({
      platform: { architecture: 'amd64', os: 'linux' },
      annotations: {
        'io.containerd.image.name': 'docker.io/library/drover:1',
        'org.opencontainers.image.ref.name': '1',
      },
    });
  });

  test('the configuration has what a container is started with', async () => {
    const config = JSON.parse(new TextDecoder().decode(image.config.content));
    expect(config).toMatchObject({ architecture: 'amd64', os: 'linux', created: '2023-11-14T22:13:20Z' });
    expect(config.config).toMatchObject({ User: '65532:65532', Entrypoint: [PROGRAM], WorkingDir: '/' });
    expect(config.config.Env).toEqual(Object.entries(environment).map(([name, value]) => `${name}=${value}`));
    expect(config.config.Labels).toMatchObject({ 'org.opencontainers.image.revision': 'abc123' });
  });

  test('the layers hash, unpacked, to what the configuration says', () => {
    const { rootfs } = JSON.parse(new TextDecoder().decode(image.config.content));
    const unpacked = image.layers.map(({ content }) => Bun.gunzipSync(new Uint8Array(content)));
    expect(rootfs.diff_ids).toEqual(unpacked.map((content) => `sha256:${Bun.SHA256.hash(content, 'hex')}`));
  });
});

test('for docker load, a manifest names the configuration, the layers in order, and the tag', async () => {
  const files = await unpack(archiveOf(image, 'example.org:5000/drover:1', 0));
  expect(await json(files, 'manifest.json')).toEqual([
    {
      Config: blobPath(image.config),
      RepoTags: ['example.org:5000/drover:1'],
      Layers: image.layers.map(blobPath),
    },
  ]);
});

test('several architectures share one name', async () => {
  const other = imageOf({ arch: 'arm64', origin, layers });
  const files = await unpack(indexArchiveOf([image, other], 'drover:1', 0));
  const { manifests } = await json(files, 'index.json');
  const index = await json(files, blobPath(manifests[0]));
  expect(index.manifests.map(({ platform }: Descriptor) => platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ]);
  for (const manifest of index.manifests) expect(files.has(blobPath(manifest))).toBe(true);
  expect(files.has('manifest.json')).toBe(false);
});

test('the same contents give the same bytes, another commit gives others', () => {
  const again = imageOf({ arch: 'amd64', origin, layers });
  const other = imageOf({ arch: 'amd64', origin: { ...origin, commit: 'def' }, layers });
  expect(archiveOf(again, 'drover:1', 5).equals(archiveOf(image, 'drover:1', 5))).toBe(true);
  expect(other.manifest.digest).not.toBe(image.manifest.digest);
  expect(other.layers.map(({ digest }) => digest)).toEqual(image.layers.map(({ digest }) => digest));
});

test.each([
  ['drover:1', 'docker.io/library/drover:1'],
  ['someone/drover:1', 'docker.io/someone/drover:1'],
  ['ghcr.io/someone/drover:1', 'ghcr.io/someone/drover:1'],
  ['localhost/drover:1', 'localhost/drover:1'],
  ['registry:5000/drover:1', 'registry:5000/drover:1'],
])('%s means %s', (reference, whole) => {
  expect(wholeReference(reference)).toBe(whole);
});
