/** The code on the page docs/sagas.md. Its test is on the page docs/testing.md. */
@NullMarked
package com.example.docs.sagas;

import org.jspecify.annotations.NullMarked;
