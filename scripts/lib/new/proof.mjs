import { listKeys } from './edit.mjs';
import { nameTaken, toKebabCase } from './names.mjs';

const LIST = 'src/domain/proof/kinds.ts';

/** A kind of proof in the log. */
export const proof = {
  what: 'proof',
  about: 'a kind of proof record, with the next free number',
  form: 'ProofOf and a noun',
  example: 'ProofOfCustody',
  pattern: /^ProofOf[A-Z][a-z]+([A-Z][a-z]+)*$/,
  plan: (plan, name) => {
    const file = plan.read(LIST);
    if (file.text.includes(`'${name}'`)) throw nameTaken(name, LIST);
    const kind = Math.max(...listKeys(file, 'PROOF_KINDS').map(Number)) + 1;
    const entry = `  ${kind}: { name: '${name}' }`;
    plan.addLine(LIST, { list: 'PROOF_KINDS', key: String(kind), entry });
    plan.createTest(`test/domain/proof/${toKebabCase(name)}.test.ts`, {
      name: `a record of ${name}`,
      imports: ["import { PROOF_KINDS } from '../../../src/domain/proof/kinds.ts';"],
      lines: [`expect(PROOF_KINDS[${kind}].name).toBe('${name}');`],
    });
    plan.left.push('a projector in src/actors: record it');
    plan.left.push(`${LIST}: \`when\` it is recorded, and its \`ref\``);
    plan.left.push('node scripts/docs.mjs --source: its row in docs/proofs.md');
  },
};
