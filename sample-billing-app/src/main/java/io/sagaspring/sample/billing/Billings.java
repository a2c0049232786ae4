package io.sagaspring.sample.billing;

import java.util.Optional;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.jpa.repository.JpaRepository;

interface Billings extends JpaRepository<Billing, Long> {

    @Override
    @EntityGraph(attributePaths = "invoices")
    Optional<Billing> findById(Long id);
}
