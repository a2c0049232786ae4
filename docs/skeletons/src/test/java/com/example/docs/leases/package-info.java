/** The code on the page docs/leases.md. */
@NullMarked
package com.example.docs.leases;

import org.jspecify.annotations.NullMarked;
