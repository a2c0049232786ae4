/** A shop with one protected step, one saga and one idempotent endpoint, each in a package to copy. */
@NullMarked
package com.example.shop;

import org.jspecify.annotations.NullMarked;
