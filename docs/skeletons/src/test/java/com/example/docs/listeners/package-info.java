/** The code on the page docs/listeners.md. */
@NullMarked
package com.example.docs.listeners;

import org.jspecify.annotations.NullMarked;
