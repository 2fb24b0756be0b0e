/**
 * Native copies of lists that plans hold. A frozen list is copied once and reused, since plans are
 * run again for every layer and step; another list is copied at every call.
 */
export class ListCache<List extends object, Handle> {
  readonly #copies = new WeakMap<List, Handle>();
  readonly #create: (list: List) => Handle;

  constructor(create: (list: List) => Handle) {
    this.#create = create;
  }

  handle(list: List): Handle {
    const known = this.#copies.get(list);
    if (known !== undefined) return known;
    const made = this.#create(list);
    if (Object.isFrozen(list)) this.#copies.set(list, made);
    return made;
  }
}
