/** The code on the page docs/testing.md. */
@NullMarked
package com.example.docs.testing;

import org.jspecify.annotations.NullMarked;
