/** Returns the reference under which proofs and public events of a passport are stored. */
export function passportRef(name: string): string {
  return `passport:${name}`;
}
