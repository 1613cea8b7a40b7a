import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readImage } from '../../../../../src/providers/hosting/local/images/image-files.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

/** A release with an image; its configuration is given. */
function release(config: object) {
  const { path, remove } = tempDir();
  onTestFinished(remove);
  const [tree, image] = [join(path, 'tree'), join(path, 'tree', '.stoa-image')];
  mkdirSync(join(image, 'root', 'etc'), { recursive: true });
  const text = JSON.stringify({ OCIv1: { config } });
  writeFileSync(join(image, 'image.json'), text);
  return { outside: path, tree, image, text };
}

test('an image says its program, user and folder; what it leaves out has a default', () => {
  const { tree } = release({ Entrypoint: ['/a'], Cmd: ['b'], User: '7:8', WorkingDir: '/srv' });
  expect(readImage(tree)).toEqual({
    userId: 7,
    env: [],
    argv: ['/a', 'b'],
    workingDir: '/srv',
    hasShell: false,
  });
  expect(readImage(release({}).tree)).toMatchObject({ userId: 0, argv: [], workingDir: '/' });
});

test('a user is found by its name in the image, and an unknown one is named', () => {
  const { tree, image } = release({ User: 'app' });
  expect(readImage(tree)).toBe('the user app in the /etc/passwd of the image');
  writeFileSync(join(image, 'root', 'etc', 'passwd'), 'root:x:0:0\napp:x:33:33:::\n');
  expect(readImage(tree)).toMatchObject({ userId: 33 });
});

test('links of a build lead the reader nowhere outside it', () => {
  const { outside, tree, text } = release({ Entrypoint: ['/a'] });
  writeFileSync(join(outside, 'other.json'), text);
  const own = release({});
  const hostile = join(own.outside, 'hostile');
  mkdirSync(join(hostile, '.stoa-image'), { recursive: true });
  symlinkSync(join(outside, 'other.json'), join(hostile, '.stoa-image', 'image.json'));
  expect(readImage(hostile)).toBe('the image of the build');
  const linked = join(own.outside, 'linked');
  mkdirSync(linked);
  symlinkSync(join(tree, '.stoa-image'), join(linked, '.stoa-image'));
  expect(readImage(linked)).toBe('the image of the build');
});

test.each(['{', '[]', JSON.stringify({ OCIv1: { config: { User: 7 } } })])(
  'a configuration that cannot be read is said to be one: %s',
  (text) => {
    const { tree, image } = release({});
    writeFileSync(join(image, 'image.json'), text);
    expect(readImage(tree)).toBe('an image with a readable configuration');
  },
);
