declare const BRAND: unique symbol;

/** A string that carries a compile-time brand `B`: ids of different kinds cannot be exchanged by mistake. */
export type Branded<B extends string> = string & { readonly [BRAND]: B };
