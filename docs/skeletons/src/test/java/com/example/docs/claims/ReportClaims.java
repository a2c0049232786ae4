package com.example.docs.claims;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ReportClaims {

    @Bean
    ClaimState rendering() {
        return new ClaimState("reports", "reporting", Report.class, "status", "RENDERING", "REQUESTED");
    }

    @Bean
    Rendering renderingOfReports(ClaimService claims, ClaimState rendering, Renderer renderer) {
        return new Rendering(claims, rendering, renderer);
    }

    interface Renderer {
        void render(long report);
    }

    record Rendering(ClaimService claims, ClaimState rendering, Renderer renderer) {

        /**
         * Renders a report under a claim. Returns true if this call completed the claim, and no other owner had taken
         * it over.
         */
        boolean render(long report) {
            if (!(claims.tryClaim(rendering, report, "night") instanceof ClaimAttempt.Granted granted)) {
                return false;
            }
            Claim claim = granted.claim();
            try {
                renderer.render(report);
            } catch (RuntimeException failed) {
                claims.release(claim);
                throw failed;
            }
            return claims.complete(claim, "RENDERED") == ClaimEnd.DONE;
        }
    }
}
