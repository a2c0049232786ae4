/** The code on the page docs/queues.md. */
@NullMarked
package com.example.docs.queues;

import org.jspecify.annotations.NullMarked;
