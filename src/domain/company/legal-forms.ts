/** Legal forms as they appear in names, in Latin letters without punctuation. */
export const LEGAL_FORMS: ReadonlySet<string> = new Set(
  [
    'inc incorporated corp corporation co company llc llp lp ltd limited plc pllc pc',
    'gmbh ag kg kgaa ohg ug se ev mbh sa sas sarl sasu eurl snc scs spa srl sl slu sc',
    'bv nv cv vof as asa ans aps ab oy oyj hf ehf doo dd ad ood eood zrt kft nyrt bt',
    'sro spol sia uab ooo oao zao pao ao tov pjsc jsc ojsc cjsc llp ltda eireli',
    'pte pty pvt sdn bhd kk yk gk tbk pt cia sab sapi rl fze fzc fzco wll',
  ]
    .join(' ')
    .split(' '),
);
