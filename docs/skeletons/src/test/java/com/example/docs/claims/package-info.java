/** What docs/claims.md shows. */
@NullMarked
package com.example.docs.claims;

import org.jspecify.annotations.NullMarked;
