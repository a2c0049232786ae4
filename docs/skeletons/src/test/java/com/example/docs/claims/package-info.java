/** The code on the page docs/claims.md. */
@NullMarked
package com.example.docs.claims;

import org.jspecify.annotations.NullMarked;
