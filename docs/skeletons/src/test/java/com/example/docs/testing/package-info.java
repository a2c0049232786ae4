/** What docs/testing.md shows. */
@NullMarked
package com.example.docs.testing;

import org.jspecify.annotations.NullMarked;
