import { type Arch, environment, labels, type Origin, PROGRAM, timestamp, USER } from './facts.ts';
import { type Entry, tar } from './tar.ts';

/** One file of an image, found by the hash of its content. */
interface Blob {
  digest: string;
  size: number;
  content: Uint8Array;
}

/** An image of one architecture, as the blobs that it consists of. */
export interface Image {
  arch: Arch;
  manifest: Blob;
  config: Blob;
  layers: Blob[];
}

/** What an image is made of. */
export interface Contents {
  arch: Arch;
  origin: Origin;
  /** Files of each layer, those that change least first. */
  layers: ReadonlyArray<readonly Entry[]>;
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** Makes the image: the same contents give the same bytes. */
export function imageOf({ arch, origin, layers: files }: Contents): Image {
  const layers = files.map((entries) => {
    const content = tar(entries, origin.seconds);
    return { diff: digestOf(content), blob: blobOf(Bun.gzipSync(content, { level: 6 })) };
  });
  const config = blobOf(
    JSON.stringify(
      configOf(
        arch,
        origin,
        layers.map(({ diff }) => diff),
      ),
    ),
  );
  const blobs = layers.map(({ blob }) => blob);
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, ...pointer(config) },
    layers: blobs.map((layer) => ({ mediaType: LAYER, ...pointer(layer) })),
    annotations: labels(origin),
  };
  return { arch, manifest: blobOf(JSON.stringify(manifest)), config, layers: blobs };
}

function configOf(architecture: Arch, origin: Origin, diffs: readonly string[]) {
  const created = timestamp(origin.seconds);
  return {
    architecture,
    os: 'linux',
    created,
    config: {
      User: `${USER}:${USER}`,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Entrypoint: [PROGRAM],
      WorkingDir: '/',
      Labels: labels(origin),
    },
    rootfs: { type: 'layers', diff_ids: diffs },
    history: diffs.map(() => ({ created, created_by: 'hack/image' })),
  };
}

/**
 * The archive of one image, in both forms at once: an OCI image layout, and what `docker load` of any age and
 * `kind load image-archive` take.
 */
export function archiveOf(image: Image, reference: string, seconds: number): Buffer<ArrayBuffer> {
  const { manifest, config, layers } = image;
  const docker = [{ Config: pathOf(config), RepoTags: [reference], Layers: layers.map(pathOf) }];
  const entries = [
    { path: 'manifest.json', content: JSON.stringify(docker) },
    ...layout(named({ mediaType: MANIFEST, ...pointer(manifest), platform: platform(image) }, reference)),
    ...blobEntries([image]),
  ];
  return tar(entries, seconds);
}

/** The archive of images of several architectures under one name: an OCI image layout only, for the other form knows one. */
export function indexArchiveOf(images: readonly Image[], reference: string, seconds: number): Buffer<ArrayBuffer> {
  const manifests = images.map((image) => ({
    mediaType: MANIFEST,
    ...pointer(image.manifest),
    platform: platform(image),
  }));
  const index = blobOf(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }));
  const entries = [
    ...layout(named({ mediaType: INDEX, ...pointer(index) }, reference)),
    { path: pathOf(index), content: index.content },
    ...blobEntries(images),
  ];
  return tar(entries, seconds);
}

const layout = (descriptor: object): Entry[] => [
  { path: 'oci-layout', content: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
  { path: 'index.json', content: JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [descriptor] }) },
];

const named = (descriptor: object, reference: string) => ({
  ...descriptor,
  annotations: {
    'io.containerd.image.name': wholeReference(reference),
    'org.opencontainers.image.ref.name': reference.slice(reference.lastIndexOf(':') + 1),
  },
});

/** A reference as it is meant when it names no registry: one of Docker's. */
export function wholeReference(reference: string): string {
  const [first = '', ...rest] = reference.split('/');
  if (rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')) return reference;
  return rest.length > 0 ? `docker.io/${reference}` : `docker.io/library/${reference}`;
}

const platform = ({ arch }: Image) => ({ architecture: arch, os: 'linux' });
const blobEntries = (images: readonly Image[]): Entry[] =>
  images
    .flatMap(({ manifest, config, layers }) => [manifest, config, ...layers])
    .map((blob) => ({ path: pathOf(blob), content: blob.content }));

const pathOf = ({ digest }: Blob): string => `blobs/${digest.replace(':', '/')}`;
const pointer = ({ digest, size }: Blob) => ({ digest, size });
const digestOf = (content: Uint8Array): string => `sha256:${Bun.SHA256.hash(content, 'hex')}`;

function blobOf(of: Uint8Array | string): Blob {
  const content = Buffer.from(of);
  return { digest: digestOf(content), size: content.length, content };
}
