/** The code on the page docs/tenants.md. */
@NullMarked
package com.example.docs.tenants;

import org.jspecify.annotations.NullMarked;
