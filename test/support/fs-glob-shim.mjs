// The conformance suite imports fs.globSync, which came with Node 22. It is used for client scenarios
// only, so on Node 20 an export that answers nothing is enough to load the suite.
import fs from 'node:fs';
import { register } from 'node:module';

if (fs.globSync === undefined) {
  const shim =
    "import fs from 'node:fs'; export * from 'node:fs'; export const globSync = () => []; export default fs;";
  const url = `data:text/javascript,${encodeURIComponent(shim)}`;
  const hooks = `export const resolve = (name, context, next) =>
    name === 'fs' && /[/]conformance(-alpha)?[/]/.test(context.parentURL ?? '')
      ? { url: ${JSON.stringify(url)}, shortCircuit: true }
      : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
