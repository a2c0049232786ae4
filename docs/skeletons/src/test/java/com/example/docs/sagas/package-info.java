/** What docs/sagas.md shows, and its test what docs/testing.md shows. */
@NullMarked
package com.example.docs.sagas;

import org.jspecify.annotations.NullMarked;
